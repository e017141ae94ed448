// Brings a fresh clone to the point where it runs: Node 24, the dependencies, the media tools, the console.
// Runs before `npm start` (`start`), `npm test` (`test`) and `npm run test:slow` (`slow`) on any Node from 18 on, with builtins only; does nothing when nothing
// is missing.
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { alone } from './setup/alone.mjs'
import { ensureNode, isPrivate, node } from './setup/node.mjs'
import { ensureOpenApiTools, openApiToolsReady } from './setup/openapi-tools.mjs'
import { cache, fail, inRoot, npm, root, run, say } from './setup/run.mjs'
import { ensureTools } from './setup/tools.mjs'

const stage = process.argv[2] ?? 'start'

const modules = join(root, 'node_modules')
const dependencyStamp = join(modules, '.keepsake-stamp')
const consoleStamp = join(cache, 'console-stamp')

const hash = (...parts) => parts.reduce((sum, part) => sum.update(part), createHash('sha256')).digest('hex')
const read = file => (existsSync(file) ? readFileSync(file, 'utf8') : '')

const wantedDependencies = () => hash(readFileSync(join(root, 'package-lock.json')), process.platform, process.arch)
const dependenciesReady = () => read(dependencyStamp) === wantedDependencies()

/** Somebody ran `npm install` by hand: what lies there is what the lock asks for. */
function installedByHand() {
  const installed = packagesOf(join(modules, '.package-lock.json'))
  const locked = packagesOf(join(root, 'package-lock.json'))
  const wanted = Object.entries(locked).filter(([path, entry]) => path !== '' && !entry.optional)
  return wanted.every(([path, { version }]) => installed[path]?.version === version)
}
const packagesOf = file => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).packages : {})

async function ensureDependencies() {
  if (dependenciesReady()) return
  if (!installedByHand()) {
    say('installing dependencies (a few minutes the first time) …')
    // No package of ours needs an install script; what the database's does, we do ourselves.
    await npm(node(), ['ci', '--ignore-scripts'], root)
  }
  writeFileSync(dependencyStamp, wantedDependencies())
}

/** npm puts node_modules/.bin first on PATH for each script, so `node` is the private one from the next script on. */
const link = join(modules, '.bin', 'node')
const linkTarget = () => relative(dirname(link), node())
const linkReady = () => !isPrivate(node()) || currentLink() === linkTarget()
function currentLink() {
  try {
    return readlinkSync(link)
  } catch {
    return ''
  }
}
function ensureLink() {
  if (linkReady()) return
  rmSync(link, { force: true })
  symlinkSync(linkTarget(), link)
}

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter(entry => entry.name !== 'dist' && entry.name !== 'node_modules')
    .flatMap(entry => (entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)]))
    .sort()
}
const hasConsole = () => existsSync(inRoot('console/index.html'))
const wantedConsole = () =>
  hash(
    ...filesBelow(inRoot('console')).flatMap(file => [relative(root, file), readFileSync(file)]),
    wantedDependencies(),
  )
const consoleReady = () =>
  !hasConsole() || (existsSync(inRoot('console/dist/index.html')) && read(consoleStamp) === wantedConsole())

async function ensureConsole() {
  if (consoleReady()) return
  say('building the console …')
  const vite = inRoot('node_modules/vite/bin/vite.js')
  const built = await run(node(), [vite, 'build', 'console', '--logLevel', 'warn'], root)
  if (!built) fail('The console could not be built; the lines above say why. `npm run build:console` tries again.')
  writeFileSync(consoleStamp, wantedConsole())
}

/** Without it a process starts more slowly, and that is all: no reason to stop. */
const joinStamp = join(modules, '.cache', 'joined', 'stamp')
const wantedJoin = () => hash(readFileSync(inRoot('scripts/setup/join.mjs')), read(join(modules, '.package-lock.json')))
const joinReady = () => read(joinStamp) === wantedJoin()

async function ensureJoin() {
  if (joinReady()) return
  if (await run(node(), [inRoot('scripts/setup/join.mjs')], root)) writeFileSync(joinStamp, wantedJoin())
  else say('some packages could not be joined; Keepsake starts a little more slowly.')
}

mkdirSync(cache, { recursive: true })
const ready = () =>
  existsSync(node()) &&
  dependenciesReady() &&
  linkReady() &&
  joinReady() &&
  consoleReady() &&
  (stage !== 'slow' || openApiToolsReady())
if (!ready()) {
  const done = await alone(say)
  await ensureNode()
  await ensureDependencies()
  ensureLink()
  await ensureJoin()
  await ensureConsole()
  if (stage === 'slow') await ensureOpenApiTools(node())
  done()
}
await ensureTools(stage)
