// The programs of the machine that Keepsake and its tests use: installed by apt where that is allowed, else named in one line.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cache, inRoot, root, run, say, which } from './run.mjs'

const setting = name =>
  process.env[name] || new RegExp(`^\\s*${name}\\s*=\\s*["']?([^"'\\n]+)`, 'm').exec(envFile())?.[1]?.trim()
const envFile = () => (existsSync(inRoot('.env')) ? readFileSync(inRoot('.env'), 'utf8') : '')
const has = (...names) => names.some(name => (name.includes('/') ? existsSync(name) : which(name) !== undefined))

/** `for`: the first command that wants it; a start wants the least, the slow tests want all. */
const tools = [
  {
    package: 'ffmpeg',
    there: () => has(setting('FFMPEG_PATH') ?? 'ffmpeg') && has(setting('FFPROBE_PATH') ?? 'ffprobe'),
    for: 'start',
  },
  { package: 'libjpeg-turbo-progs', there: () => has('jpegtran'), for: 'start' },
  { package: 'bubblewrap', there: () => has('bwrap'), for: 'start' },
  {
    package: 'fonts-noto-color-emoji',
    there: () => has('/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf'),
    for: 'start',
  },
  {
    package: 'chromium-headless-shell',
    there: () => has('chromium-headless-shell', 'chromium'),
    for: 'test',
  },
  // A printer, and the message bus that it wants to have.
  { package: 'cups-ipp-utils', there: () => has('ippeveprinter', '/usr/sbin/ippeveprinter'), for: 'test' },
  { package: 'dbus-daemon', there: () => has('dbus-daemon', '/usr/bin/dbus-daemon'), for: 'test' },
  { package: 'python3-swift', there: () => has('/usr/lib/python3/dist-packages/swift'), for: 'test' },
  { package: 'python3', there: () => has('python3'), for: 'slow' },
  { package: 'faketime', there: () => has('faketime'), for: 'slow' },
  { package: 'pgbouncer', there: () => has('pgbouncer', '/usr/sbin/pgbouncer'), for: 'slow' },
]
const stages = ['start', 'test', 'slow']

const tried = join(cache, 'apt-tried')

/** `stage`: `start`, `test` or `slow`. What cannot be had is named in one line, and is no reason to stop. */
export async function ensureTools(stage) {
  if (process.platform !== 'linux') return ensureElsewhere(stage)
  const missing = () =>
    tools.filter(tool => stages.indexOf(tool.for) <= stages.indexOf(stage) && !tool.there()).map(tool => tool.package)
  const wanted = missing()
  if (wanted.length === 0) return
  await install(wanted, stage !== 'start')
  const left = missing()
  if (left.length === 0) return
  const advice = `Install with: sudo apt-get install ${left.join(' ')}`
  if (stage !== 'start') say(`without ${left.join(', ')} the tests that need them are skipped. ${advice}`)
  else if (left.includes('ffmpeg')) say(`warning: ffmpeg is missing, so the video adapters are off. ${advice}`)
}

/** A try that failed is not made again at each start: offline, it costs minutes. */
async function install(packages, insist) {
  const apt = which('apt-get')
  const list = packages.join(' ')
  if (process.getuid() !== 0 || !apt) return
  if (!insist && existsSync(tried) && readFileSync(tried, 'utf8') === list) return
  writeFileSync(tried, list)
  say(`installing ${list} with apt-get …`)
  const get = (...args) =>
    run(apt, args, root, { quiet: true, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } })
  await get('update', '-qq', '-o', 'Acquire::http::Timeout=20', '-o', 'Acquire::Retries=1')
  const together = await get('install', '-y', '-qq', '--no-install-recommends', ...packages)
  // One package that this system doesn't know must not keep the others out.
  if (!together) for (const name of packages) await get('install', '-y', '-qq', '--no-install-recommends', name)
}

function ensureElsewhere(stage) {
  if (tools[0].there()) return
  const what = stage === 'start' ? 'the video adapters are off' : 'the tests of videos are skipped'
  say(
    `warning: ffmpeg is missing, so ${what}. Install it (macOS: brew install ffmpeg) or set FFMPEG_PATH and FFPROBE_PATH.`,
  )
}
