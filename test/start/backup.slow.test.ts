// Backups while the service runs: restored into an empty place they hold everything, and what was unfinished is finished there.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { type Client, newClient } from '../support/client.ts'
import { startReceiver } from '../support/https-receiver.ts'
import { single } from '../support/keepsake.ts'
import { png, scene } from '../support/pictures.ts'
import { until } from '../support/until.ts'
import { root, start, testFolder } from './keepsake.ts'

const exec = promisify(execFile)
const tokenIn = (data: string): string => readFileSync(join(data, 'admin-token'), 'utf8').trim()

/** The command, as an operator runs it. */
async function keepsake(data: string, ...args: string[]): Promise<{ code: number; said: string }> {
  const env = { PATH: process.env.PATH, KEEPSAKE_DATA: data, NODE_COMPILE_CACHE: join(root, '.cache/compile') }
  const {
    code = 0,
    stdout,
    stderr,
  } = await exec(process.execPath, [join(root, 'src/main.ts'), ...args], {
    env,
    cwd: join(data, '..'),
  }).catch(error => error)
  return { code, said: `${stdout}${stderr}` }
}

async function send(client: Client, configuration: string, picture: Buffer): Promise<string> {
  const body = new FormData()
  body.append('configuration_name', configuration)
  body.append('extras', JSON.stringify({ rfid: ['04A2B9'] }))
  body.append('data', new Blob([new Uint8Array(picture)]))
  const answer = await client.send('POST', '/api/task/', { body })
  assert.equal(answer.status, 202, JSON.stringify(answer.body))
  return answer.body.task_id
}

const output = async (url: string, token: string, taskId: string): Promise<Buffer> => {
  const answer = await fetch(`${url}/api/task/${taskId}/output/0/`, {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(60_000),
  })
  assert.equal(answer.status, 200)
  return Buffer.from(await answer.arrayBuffer())
}

/** A gate at which a delivery waits until it is opened; it must bring the secret of its configuration. */
async function gate(t: TestContext): Promise<{ url: string; open(): void; delivered: () => number }> {
  let isOpen = false
  const receiver = await startReceiver({
    answer: ({ headers }, response) =>
      void response.writeHead(headers.authorization !== 'Bearer kept-secret' ? 401 : isOpen ? 200 : 503).end(),
  })
  t.after(() => receiver.stop())
  return {
    url: receiver.url,
    open() {
      isOpen = true
    },
    delivered: () => (isOpen ? receiver.received.length : 0),
  }
}

test('a backup of a running service, restored elsewhere, has everything and finishes what was unfinished', async t => {
  const folder = testFolder(t)
  const [first, second, third] = ['first', 'second', 'third'].map(name => join(folder, name, 'data')) as [
    string,
    string,
    string,
  ]
  const copy = join(folder, 'copy')
  const door = await gate(t)
  const env = { KEEPSAKE_ALLOW_HOSTS: '127.0.0.1' }
  for (const data of [first, second, third]) mkdirSync(join(data, '..'), { recursive: true })

  const service = start(t, { data: first, env })
  const url = await service.ready()
  const admin = newClient({ url, token: tokenIn(first) })
  const flip = single('flip', 'photo_flip', { method: 'ROTATE_180' }, { experience_id: 'park' })
  const post = {
    ...single(
      'post',
      'http_post',
      { url: door.url, delivery_attempts: 50, delivery_backoff: 0.5 },
      { experience_id: 'park' },
    ),
  } as { adapter_config: object }
  post.adapter_config = { ...post.adapter_config, auth: { bearer: 'kept-secret' } }
  for (const one of [flip, post]) {
    const { status, body } = await admin.post('/api/configuration/', one)
    assert.equal(status, 201, JSON.stringify(body))
  }
  assert.equal((await admin.post('/api/profile/', { rfid: '04A2B9', experience_id: 'park' })).status, 201)
  const picture = await png(scene(64, 48))
  const made = await send(admin, 'flip', picture)
  const unfinished = await send(admin, 'post', picture)
  await until('one is made', async () => (await admin.get(`/api/task/${made}/`)).body.status === 'Succeeded')
  const bytes = await output(url, tokenIn(first), made)

  const backup = await keepsake(first, 'backup', copy)
  assert.equal(backup.code, 0, backup.said)
  assert.match(backup.said, /^\d+ rows of \d+ tables\n3 files, \d+ bytes\ndone: /)
  const again = await keepsake(first, 'backup', copy)
  assert.equal(again.code, 1)
  assert.match(again.said, /is not empty; a backup is written into a new folder/)
  service.kill('SIGTERM')
  assert.equal(await service.exit(), 0)

  // One that was damaged changes nothing.
  const damaged = join(folder, 'damaged')
  cpSync(copy, damaged, { recursive: true })
  writeFileSync(join(damaged, 'rows/tasks.gz'), 'x')
  const refused = await keepsake(third, 'restore', damaged)
  assert.match(refused.said, /The backup is damaged: rows\/tasks\.gz is not what was written/)
  assert.ok(!existsSync(join(third, 'secret-key')) && refused.code === 1)

  const restored = await keepsake(second, 'restore', copy)
  assert.equal(restored.code, 0, restored.said)
  const twice = await keepsake(second, 'restore', copy)
  assert.match(twice.said, /holds a Keepsake already/)
  const other = start(t, { data: second, env })
  const there = await other.ready()
  const token = tokenIn(second)
  assert.equal(token, tokenIn(first))
  const visitor = newClient({ url: there, token })
  assert.deepEqual(await output(there, token, made), bytes)
  const same = await visitor.post('/api/profile/', { rfid: '04A2B9', experience_id: 'park' })
  assert.equal(same.status, 409, 'the guest is known')
  door.open()
  await until('what was unfinished is finished', async () => {
    const { body } = await visitor.get(`/api/task/${unfinished}/`)
    assert.notEqual(body.status, 'Failed', JSON.stringify(body))
    return body.status === 'Succeeded'
  })
  assert.ok(door.delivered() > 0)
  other.kill('SIGTERM')
  assert.equal(await other.exit(), 0, other.said())
})
