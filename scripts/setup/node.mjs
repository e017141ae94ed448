// The Node that Keepsake runs on: this one if it is new enough, else one of its own, fetched once.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cache, fail, npm, say } from './run.mjs'

const OLDEST = 24
export const PRIVATE = '24.21.0'

/** The npm package that holds the program of Node for a platform. */
export const packageOf = (platform, arch) =>
  `${platform === 'darwin' && arch === 'arm64' ? 'node-bin' : 'node'}-${platform}-${arch}`

const name = packageOf(process.platform, process.arch)
const home = join(cache, `node-${PRIVATE}-${process.platform}-${process.arch}`)

export const isPrivate = path => path.startsWith(cache)

/** It may be our own copy already. */
export function node() {
  if (Number(process.versions.node.split('.')[0]) >= OLDEST) return process.execPath
  return join(home, 'node_modules', name, 'bin', 'node')
}

export async function ensureNode() {
  if (existsSync(node())) return
  say(`this machine has Node ${process.versions.node}; fetching Node ${PRIVATE} for Keepsake alone …`)
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'package.json'), '{"private":true}')
  const args = ['install', '--no-save', '--no-package-lock', '--ignore-scripts', `${name}@${PRIVATE}`]
  await npm(process.execPath, args, home)
  if (!existsSync(node()))
    fail(`Node ${PRIVATE} could not be fetched. Install Node ${OLDEST} or newer and start again.`)
}
