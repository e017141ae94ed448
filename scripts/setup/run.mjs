// Running programs during the set-up, with a sign of life while they take long.
import { spawn } from 'node:child_process'
import { accessSync, constants, existsSync, mkdirSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..')
/** A checkout keeps what it makes beside its code. A package may lie where its user cannot write. */
const isCheckout = existsSync(join(root, 'package-lock.json'))
export const cache = isCheckout
  ? join(root, '.cache')
  : join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'keepsake')
export const inRoot = path => join(root, ...path.split('/'))

export const say = text => process.stderr.write(`[setup] ${text}\n`)

export function fail(text) {
  say(text)
  process.exit(1)
}

const SIGN_OF_LIFE_MS = 10_000

/** PATH without anybody's node_modules: the programs of the machine, never those of a project. */
const machinePath = (process.env.PATH ?? '')
  .split(delimiter)
  .filter(folder => folder && !resolve(folder).split(sep).includes('node_modules'))

export const which = name => machinePath.map(folder => join(folder, name)).find(file => existsSync(file))

/** True when the program ended well. */
export function run(program, args, cwd, options = {}) {
  const begun = Date.now()
  const { quiet = false, env = process.env } = options
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', quiet ? 'ignore' : process.stderr, process.stderr] })
  const timer = setInterval(() => say(`… still at it (${Math.round((Date.now() - begun) / 1000)} s)`), SIGN_OF_LIFE_MS)
  return new Promise(done => {
    child.once('error', () => done(false)).once('exit', code => done(code === 0))
  }).finally(() => clearInterval(timer))
}

/** The folder of npm's downloads; beside ours where the home is read-only. */
function downloads() {
  const usual = process.env.npm_config_cache || join(homedir(), '.npm')
  try {
    mkdirSync(usual, { recursive: true })
    accessSync(usual, constants.W_OK)
    return usual
  } catch {
    return join(cache, 'npm')
  }
}

export async function npm(node, args, cwd) {
  const given = process.env.npm_execpath ?? ''
  const found = given.endsWith('.js') ? given : which('npm')
  if (!found) fail('npm was not found. Install Node with npm and start again.')
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^npm_(lifecycle_|package_|execpath|node_execpath|command)/.test(name),
    ),
  )
  env.PATH = [dirname(node), ...machinePath].join(delimiter)
  env.npm_config_cache = downloads()
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error']
  if (await run(node, [realpathSync(found), ...args, ...quiet], cwd, { env })) return
  fail(
    `"npm ${args.join(' ')}" failed; the lines above say why. Check the network (or the proxy and registry npm is set to) and start again.`,
  )
}
