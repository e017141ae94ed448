// The npm package as a newcomer gets it: packed, installed into an empty folder, started there, and told about to systemd.
import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, sep } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { newClient } from '../support/client.ts'
import { single } from '../support/keepsake.ts'
import { png, scene } from '../support/pictures.ts'
import { commandOf, descendants } from '../support/processes.ts'
import { event, until } from '../support/until.ts'
import { answers, root, start, testFolder } from './keepsake.ts'

const run = promisify(execFile)
const plainEnv = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(NODE_TEST_CONTEXT|NODE_OPTIONS|npm_)/.test(name)),
)
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

let folder: string
/** Where it is installed, as a dependency of an empty project. */
let home: string
let launcher: string

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'keepsake-package-'))
  const made = join(folder, 'made')
  const release = [join(root, 'scripts/release.ts'), '--only', 'npm', '--with-changes', '--to', made]
  await run(process.execPath, release, { env: plainEnv, timeout: 300_000 })
  home = join(folder, 'home')
  mkdirSync(home)
  writeFileSync(join(home, 'package.json'), '{}')
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--prefer-offline', '--ignore-scripts']
  await run('npm', ['install', ...quiet, join(made, `keepsake-${version}.tgz`)], {
    cwd: home,
    env: plainEnv,
    timeout: 300_000,
  })
  launcher = join(home, 'node_modules/.bin/keepsake')
})
after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

/** A Node of the machine that is too old, and the place where a newer one was fetched to before; null where there is none. */
function oldNode(cache: string): string | null {
  const [private24] = existsSync(join(root, '.cache'))
    ? readdirSync(join(root, '.cache')).filter(name => name.startsWith('node-24'))
    : []
  const node = (process.env.PATH ?? '')
    .split(delimiter)
    .filter(path => !path.split(sep).includes('node_modules'))
    .map(path => join(path, 'node'))
    .find(existsSync)
  if (!private24 || !node) return null
  mkdirSync(join(cache, 'keepsake'), { recursive: true })
  symlinkSync(join(root, '.cache', private24), join(cache, 'keepsake', private24))
  return node
}

test('it starts in an empty folder like a checkout, on an old Node too, and makes a keepsake', async t => {
  const own = testFolder(t)
  const cache = join(own, 'cache')
  const node = oldNode(cache) ?? process.execPath
  t.diagnostic(`started by ${node}`)
  const listener = await listen(t, join(own, 'notify'))
  const env = { XDG_CACHE_HOME: cache, NOTIFY_SOCKET: listener.path, KEEPSAKE_ADMIN_TOKEN: '' }
  const service = start(t, { data: join(own, 'data'), program: [node, launcher], env })
  const url = await service.ready()
  await until('systemd is told', () => listener.heard().includes('READY=1\nSTATUS=Ready.'))
  const token = readFileSync(join(own, 'data/admin-token'), 'utf8').trim()
  assert.doesNotMatch(service.said(), /#code=/, 'a journal holds no way in')
  assert.ok(!service.said().includes(token))
  const programs = [service.pid, ...descendants(service.pid)].map(commandOf)
  assert.ok(
    programs.some(command => command.includes('keepsake')),
    programs.join('\n'),
  )

  for (const path of ['/', '/docs/', '/docs/api/', '/api/openapi.json'])
    assert.equal(await answers(url, path), 200, path)
  const admin = newClient({ url, token })
  const flip = single('flip', 'photo_flip', { method: 'ROTATE_180' })
  assert.equal((await admin.post('/api/configuration/', flip)).status, 201)
  const form = new FormData()
  form.append('configuration_name', 'flip')
  form.append('data', new Blob([new Uint8Array(await png(scene(60, 40)))]))
  const { body: task } = await admin.send('POST', '/api/task/', { body: form })
  await until('it is made', async () => (await admin.get(`/api/task/${task.task_id}/`)).body.status === 'Succeeded')
  const output = await fetch(`${url}/api/task/${task.task_id}/output/0/`, {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(60_000),
  })
  const { width, height } = await sharp(Buffer.from(await output.arrayBuffer())).metadata()
  assert.deepEqual([width, height], [60, 40])
  service.kill('SIGTERM')
  assert.equal(await service.exit(), 0, service.said())
  await until('systemd is told of the end', () => listener.heard().includes('STOPPING=1'))
})

test('its commands run, and adapters of others find their kit and its types', async () => {
  const { stdout } = await run(process.execPath, [launcher, '--version'], { env: plainEnv })
  assert.equal(stdout.trim(), version)
  const wrong = await run(process.execPath, [launcher, 'nothing'], { env: plainEnv }).catch(error => error)
  assert.equal(wrong.code, 2)
  const seen = `for (const kit of ['keepsake/adapter', 'keepsake/adapter/test']) console.log(Object.keys(await import(kit)).length > 3)`
  const kits = await run(process.execPath, ['--input-type=module', '-e', seen], { cwd: home, env: plainEnv })
  assert.equal(kits.stdout, 'true\ntrue\n')
  writeFileSync(
    join(home, 'mine.ts'),
    `import { imageAdapter } from 'keepsake/adapter'\nconst made: number = imageAdapter\n`,
  )
  const flags = ['--noEmit', '--strict', '--skipLibCheck', '--checkers', '1']
  const settings = [...flags, '--module', 'nodenext', '--target', 'es2024', 'mine.ts']
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const checked = await run(process.execPath, [tsc, ...settings], { cwd: home, env: plainEnv }).catch(error => error)
  assert.match(checked.stdout, /^mine\.ts\(2,7\): error TS2322: .* is not assignable to type 'number'/)
  assert.equal(checked.stdout.trim().split('\n').length, 1, checked.stdout)
})

test('it holds nothing but the product: no tests of ours, no sources, no mirror', () => {
  const place = join(home, 'node_modules/keepsake')
  const files = readdirSync(place, { recursive: true, encoding: 'utf8' }).filter(
    name => !name.startsWith('node_modules'),
  )
  assert.deepEqual(
    files.filter(name => !/^(examples|docs)/.test(name) && /\.ts$|\.test\.js$/.test(name) && !name.endsWith('.d.ts')),
    [],
  )
  const wrap = readFileSync(join(place, 'npm-shrinkwrap.json'), 'utf8')
  assert.ok(!wrap.includes('"resolved"') && !wrap.includes('"dev": true'))
  assert.ok(!('devDependencies' in JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'))))
})

const LISTEN = `use Socket; $| = 1; socket(my $s, PF_UNIX, SOCK_DGRAM, 0); bind($s, sockaddr_un($ARGV[0])) or die; print "bound\\n";
while (defined(recv($s, my $text, 4096, 0))) { print "$text\\n" }`

/** What systemd would hear. */
async function listen(t: TestContext, path: string): Promise<{ path: string; heard(): string }> {
  const child: ChildProcess = spawn('perl', ['-e', LISTEN, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => {
    child.kill('SIGKILL')
    child.stdout?.destroy()
  })
  let heard = ''
  child.stdout?.setEncoding('utf8').on('data', text => (heard += text))
  if (child.stdout) await event('it listens', child.stdout, 'data')
  return { path, heard: () => heard }
}
