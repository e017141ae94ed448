// The example package as its author and an operator use it: tested by itself, installed, loaded, and there after an upgrade.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { type Answer, type Client, newClient } from '../support/client.ts'
import { startReceiver } from '../support/https-receiver.ts'
import { chain, single } from '../support/keepsake.ts'
import { png, scene } from '../support/pictures.ts'
import { emptyDatabase } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { root, start, testFolder } from './keepsake.ts'

const run = promisify(execFile)
const example = join(root, 'examples/adapter-package')

/** Without what ties a process to the tests that started it, or npm to the project it was started in. */
const plainEnv = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(NODE_TEST_CONTEXT|NODE_OPTIONS|npm_)/.test(name)),
)

test('the example passes the suites, run as its author runs them', async t => {
  const own = join(testFolder(t), 'package')
  cpSync(example, own, { recursive: true })
  mkdirSync(join(own, 'node_modules'))
  symlinkSync(root, join(own, 'node_modules/keepsake'))
  const ran = run(process.execPath, ['--test', '--test-reporter=tap'], { cwd: own, env: plainEnv, maxBuffer: 2 ** 26 })
  const { stdout } = await ran.catch((error: { stdout: string }) => error)
  const count = (name: string): number => Number(new RegExp(`^# ${name} (\\d+)`, 'm').exec(stdout)?.[1])
  assert.deepEqual([count('fail'), count('skipped'), count('cancelled')], [0, 0, 0], stdout)
  assert.ok(count('pass') >= 20, stdout)
})

/** A checkout of Keepsake: the code of this one, with its packages. */
function checkout(folder: string): string {
  for (const name of ['src', 'migrations', 'package.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** Makes it a later version, whose migrations go further, as `git pull` does. What was compiled of the code stays compiled. */
function upgrade(folder: string): string {
  const file = join(folder, 'package.json')
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), version: '99.0.0' }))
  writeFileSync(join(folder, 'migrations/9000_later.sql'), 'alter table tasks add column of_later text;')
  return folder
}

/** As an operator installs it: the packed files, in a folder that belongs to no checkout. */
async function installed(folder: string): Promise<string> {
  mkdirSync(folder)
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--offline']
  const npm = (...args: string[]) => run('npm', [...args, ...quiet], { cwd: folder, env: plainEnv })
  await npm('pack', example)
  const [packed = ''] = readdirSync(folder).filter(name => name.endsWith('.tgz'))
  await npm('install', '--prefix', folder, `./${packed}`)
  return join(folder, 'node_modules/keepsake-adapter-example')
}

interface Service {
  api: Client
  /** Sends a picture and answers the path of its task. */
  send(configuration: string): Promise<string>
  ended(path: string): Promise<Answer['body']>
  stop(): Promise<void>
}

async function service(t: TestContext, project: string, data: string, env: Record<string, string>): Promise<Service> {
  const keepsake = start(t, { data, project, env })
  const url = (await keepsake.ready()).replace(/\/$/, '')
  const api = newClient({ url, token: readFileSync(join(data, 'admin-token'), 'utf8').trim() })
  const photo = new Blob([new Uint8Array(await png(scene(40, 30)))])
  return {
    api,
    async send(configuration) {
      const body = new FormData()
      body.append('configuration_name', configuration)
      body.append('data', photo)
      const answer = await api.send('POST', '/api/task/', { body })
      assert.equal(answer.status, 202, JSON.stringify(answer.body))
      return `/api/task/${answer.body.task_id}/`
    },
    ended: path =>
      until(`${path} has ended`, async () => {
        const { body } = await api.get(path)
        return !['Waiting', 'Running'].includes(body.status) && body
      }),
    async stop() {
      keepsake.kill('SIGTERM')
      assert.equal(await keepsake.exit(), 0, keepsake.said())
    },
  }
}

test('the example is installed, loaded and used, and goes on after an upgrade', async t => {
  const folder = testFolder(t)
  const adapters = await installed(join(folder, 'adapters'))
  const database = await emptyDatabase(t)
  const target = { isOpen: true }
  const store = await startReceiver({
    answer({ headers }, response) {
      const isKnown = headers.authorization === 'Bearer token-of-the-store'
      response.writeHead(isKnown ? (target.isOpen ? 201 : 503) : 401).end()
    },
  })
  t.after(() => store.stop())
  const data = join(folder, 'data')
  const env = { DATABASE_URL: database.url, KEEPSAKE_ADAPTERS: adapters, KEEPSAKE_ALLOW_HOSTS: '127.0.0.1' }
  const project = checkout(join(folder, 'checkout'))
  const before = await service(t, project, data, env)

  await t.test('its options are checked and filled in by its plain JSON Schema', async () => {
    const { body } = await before.api.get('/api/adapter/photo_duotone/')
    assert.equal(body.defaults_schema.properties.strength.default, 1)
    const wrong = await before.api.post('/api/configuration/', single('duo', 'photo_duotone', { strength: 2, hue: 1 }))
    assert.deepEqual(
      wrong.body.errors.map(({ field, kind }: { field: string; kind: string }) => `${field} ${kind}`),
      ['adapter_config.defaults.strength wrong', 'adapter_config.defaults.hue unknown'],
    )
    const auth = { token: 'token-of-the-store' }
    const defaults = { url: `${store.url}/event`, delivery_attempts: 50, delivery_backoff: 2 }
    for (const configuration of [
      single('duo', 'photo_duotone', { shadows: '#102030', lights: '#f0e0d0' }),
      { ...single('put', 'http_put'), adapter_config: { auth, defaults } },
      chain('both', [
        ['duo', null],
        ['put', 0],
      ]),
    ]) {
      const made = await before.api.post('/api/configuration/', configuration)
      assert.equal(made.status, 201, JSON.stringify(made.body))
    }
  })

  const done = await before.send('both')
  await t.test('a task runs through the picture adapter and the destination', async () => {
    const { status, entries } = await before.ended(done)
    assert.equal(status, 'Succeeded', JSON.stringify(entries))
    const [sent] = store.received
    assert.equal(entries[1].result.url, `${store.url}${sent?.url}`)
    const { dominant } = await sharp(sent?.body).stats()
    assert.ok(dominant.r >= 0x10 && dominant.b <= 0xd0, JSON.stringify(dominant))
  })

  target.isOpen = false
  const late = await before.send('both')
  await t.test('a target that is away is tried again, as the roles of its options say', async () => {
    const entry = await until('it is put off', async () => {
      const [, second] = (await before.api.get(late)).body.entries
      return second.retry_at && second
    })
    assert.equal(entry.error.code, 'destination_unreachable')
    assert.match(entry.error.message, /could not take the file just now \(503\)/)
  })
  await before.stop()
  target.isOpen = true

  const after = await service(t, upgrade(project), data, env)
  await t.test('after the upgrade what was put off is delivered', async () => {
    const { status, entries } = await after.ended(late)
    assert.equal(status, 'Succeeded', JSON.stringify(entries))
    assert.equal((await after.api.get('/readyz')).body.version, '99.0.0')
  })

  await t.test('after the upgrade new tasks run, and what was delivered before is taken back', async () => {
    assert.equal((await after.ended(await after.send('both'))).status, 'Succeeded')
    const { url } = (await after.api.get(done)).body.entries[1].result
    const { status, body } = await after.api.post(`${done}retract/`)
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual([body.removed.length, body.kept], [1, []])
    assert.deepEqual(
      store.received.filter(({ method }) => method === 'DELETE').map(one => `${store.url}${one.url}`),
      [url],
    )
  })
  await after.stop()
})
