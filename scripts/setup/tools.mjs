// The programs of the machine that Keepsake uses: installed by apt where that is allowed, else named in one line.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cache, fail, inRoot, root, run, say, which } from './run.mjs'

const setting = name =>
  process.env[name] || new RegExp(`^\\s*${name}\\s*=\\s*["']?([^"'\\n]+)`, 'm').exec(envFile())?.[1]?.trim()
const envFile = () => (existsSync(inRoot('.env')) ? readFileSync(inRoot('.env'), 'utf8') : '')
const has = (...names) => names.some(name => (name.includes('/') ? existsSync(name) : which(name) !== undefined))

const tools = [
  {
    package: 'ffmpeg',
    there: () => has(setting('FFMPEG_PATH') ?? 'ffmpeg') && has(setting('FFPROBE_PATH') ?? 'ffprobe'),
    need: 'tests',
  },
  { package: 'libjpeg-turbo-progs', there: () => has('jpegtran') },
  { package: 'bubblewrap', there: () => has('bwrap') },
  { package: 'fonts-noto-color-emoji', there: () => has('/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf') },
  {
    package: 'chromium',
    there: () => has('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'),
    need: 'tests',
    onlyTests: true,
  },
  // The same engine without windows: the tests take half of the processor in it, and do without where it is missing.
  { package: 'chromium-headless-shell', there: () => has('chromium-headless-shell'), onlyTests: true },
  // A printer for the tests, and the message bus that it wants to have.
  {
    package: 'cups-ipp-utils',
    there: () => has('ippeveprinter', '/usr/sbin/ippeveprinter'),
    need: 'tests',
    onlyTests: true,
  },
  { package: 'dbus-daemon', there: () => has('dbus-daemon', '/usr/bin/dbus-daemon'), need: 'tests', onlyTests: true },
  // For the tests of the Python client, which say so where it is missing.
  { package: 'python3', there: () => has('python3'), onlyTests: true },
  {
    package: 'python3-swift',
    there: () => has('/usr/lib/python3/dist-packages/swift'),
    need: 'tests',
    onlyTests: true,
  },
]

const tried = join(cache, 'apt-tried')

export async function ensureTools(forTests) {
  if (process.platform !== 'linux') return ensureElsewhere(forTests)
  const missing = () => tools.filter(tool => (forTests || !tool.onlyTests) && !tool.there())
  const wanted = missing()
  if (wanted.length === 0) return
  await install(
    wanted.map(tool => tool.package),
    forTests,
  )
  const packages = missing().map(tool => tool.package)
  if (packages.length === 0) return
  const advice = `Install with: sudo apt-get install ${packages.join(' ')}`
  const needed = missing().filter(tool => forTests && tool.need === 'tests')
  if (needed.length > 0) fail(`The tests need ${needed.map(tool => tool.package).join(', ')}. ${advice}`)
  if (packages.includes('ffmpeg')) say(`warning: ffmpeg is missing, so the video adapters are off. ${advice}`)
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

function ensureElsewhere(forTests) {
  if (tools[0].there()) return
  if (forTests)
    fail(
      'The tests need ffmpeg and ffprobe. Install them (macOS: brew install ffmpeg) or set FFMPEG_PATH and FFPROBE_PATH.',
    )
  say(
    'warning: ffmpeg is missing, so the video adapters are off. Install it (macOS: brew install ffmpeg) or set FFMPEG_PATH and FFPROBE_PATH.',
  )
}
