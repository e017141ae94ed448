// What the other services are built on: pinned versions in a folder of their own, so that Keepsake never depends on them.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const versions = {
  bullmq: '6.7.0',
  ioredis: '5.11.1', // The version that this BullMQ is tested with.
  'graphile-worker': '0.18.0',
  '@fastify/multipart': '10.1.7',
}

const folder = fileURLToPath(new URL('../../.cache/bench-others', import.meta.url))
const manifest = join(folder, 'package.json')
const stamp = join(folder, 'installed')

/** Fetched once; a change of a version fetches anew. */
export function install(): void {
  const wanted = JSON.stringify({ private: true, dependencies: versions })
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  console.error(`fetching ${Object.keys(versions).join(', ')} into .cache/bench-others`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(manifest, wanted)
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error']
  const { status } = spawnSync('npm', ['install', '--ignore-scripts', ...quiet], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: 5 * 60_000,
  })
  if (status !== 0) throw new Error('npm could not fetch them; the lines above say why')
  writeFileSync(stamp, wanted)
}

const require = createRequire(manifest)

/** `T`: as much of its types as is used here; they are not there when the project is checked. */
export const load = <T>(name: keyof typeof versions): T => require(name) as T
