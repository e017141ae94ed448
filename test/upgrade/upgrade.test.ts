// Data of every release, brought up to date by today's code: no task, secret, token or file is lost on the way.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import sharp from 'sharp'
import { Webhook } from 'standardwebhooks'
import { start, testFolder } from '../start/keepsake.ts'
import { type Client, newClient } from '../support/client.ts'
import { type Receiver, startReceiver } from '../support/https-receiver.ts'
import { pattern, png } from '../support/pictures.ts'
import { emptyDatabase } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { withFfmpeg } from '../support/videos.ts'
import { load } from './dump.ts'
import { type Facts, PORT } from './facts.ts'

/** So long nothing ran: whatever was put off is due by now, and nothing has come to the end of its time. */
const DOWN_MS = 3_600_000

const versions = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter(entry => entry.isDirectory())
  .map(({ name }) => name)

const frozen: Record<string, string> = {
  '0.1.0': '35041374fc48cddc6fead3ec1c657df65e174d0badf71f03e914126cbbc8c2ee',
}

test('the data of a release is what its own code left, and never made again', () => {
  const found = versions.map(version => {
    const sql = readFileSync(join(import.meta.dirname, version, 'database.sql'))
    return [version, createHash('sha256').update(sql).digest('hex')]
  })
  assert.deepEqual(Object.fromEntries(found), frozen)
})

interface Upgraded {
  facts: Facts
  url: string
  admin: Client
  receiver: Receiver
  /** Bytes of a file that the admin may fetch. */
  file(path: string): Promise<Buffer>
}

async function upgraded(t: TestContext, version: string): Promise<Upgraded> {
  const kept = join(import.meta.dirname, version)
  const data = join(testFolder(t), 'data')
  const database = await emptyDatabase(t)
  const picture = await png(pattern(48, 32, 3))
  const receiver = await startReceiver({
    answer({ url: path, headers: { authorization = '' } }, response) {
      if (path.startsWith('/picture')) return void response.end(picture)
      const wanted = Object.entries(facts.authorization).find(([at]) => path.startsWith(at))?.[1]
      const known = path.startsWith('/hook') || (wanted !== undefined && authorization.startsWith(wanted))
      response.writeHead(known ? 200 : 401, { etag: '"0"' }).end()
    },
  })
  t.after(() => receiver.stop())
  const text = (name: string) => readFileSync(join(kept, name), 'utf8').replaceAll(PORT, String(receiver.port))
  const facts = JSON.parse(text('facts.json')) as Facts
  const client = new pg.Client(database.url)
  await client.connect()
  try {
    await load(client, text('database.sql'), Date.now() - Date.parse(facts.made_at) - DOWN_MS)
  } finally {
    await client.end()
  }
  mkdirSync(data)
  for (const name of ['blobs', 'secret-key', 'admin-token'])
    cpSync(join(kept, name), join(data, name), { recursive: true })
  for (const name of ['secret-key', 'admin-token']) chmodSync(join(data, name), 0o600)
  const env = { DATABASE_URL: database.url, KEEPSAKE_ALLOW_HOSTS: '127.0.0.1', KEEPSAKE_CALLBACK_DELAYS: '1,1,1' }
  const keepsake = start(t, { data, env })
  const url = (await keepsake.ready()).replace(/\/$/, '')
  const admin = newClient({ url, token: text('admin-token').trim() })
  async function file(path: string): Promise<Buffer> {
    const answer = await fetch(url + path, { headers: { authorization: `Bearer ${facts.tokens.read}` } })
    assert.equal(answer.status, 200, path)
    return Buffer.from(await answer.arrayBuffer())
  }
  return { facts, url, admin, receiver, file }
}

/** Whether all that was there is there now; more may have come. Times were moved, and are not looked at. */
function assertKept(now: unknown, then: unknown, path: string): void {
  if (then === null || typeof then !== 'object') {
    assert.equal(now, then, path)
    return
  }
  assert.ok(now !== null && typeof now === 'object', path)
  if (Array.isArray(then)) assert.equal((now as unknown[]).length, then.length, path)
  for (const [key, value] of Object.entries(then))
    if (!/(^|_)at$/.test(key)) assertKept((now as Record<string, unknown>)[key], value, `${path} ${key}`)
}

for (const version of versions)
  test(`data of ${version} is brought up to date, and nothing is lost`, async t => {
    // The service lives for as long as the steps that look at it.
    const now = await upgraded(t, version)
    await t.test('what was finished is as it was, file by file', () => finishedIsKept(now))
    await t.test('tokens and sessions work as they did', () => tokensWork(now))
    await t.test('unfinished tasks end, with the credentials and assets they were accepted with', () => allEnd(now))
    await t.test('waiting callbacks are delivered, signed with the same secrets', () => callbacksCome(now))
    await t.test('a callback that was given up can be sent again', () => resent(now))
    await t.test('a key still names the task it made', () => replayed(now))
    await t.test('a guest who comes late gets what waited for them', () => lateGuest(now))
  })

async function finishedIsKept({ facts, admin, file }: Upgraded): Promise<void> {
  for (const [path, view] of Object.entries(facts.views)) {
    const { status, body } = await admin.get(path)
    assert.equal(status, 200, path)
    assertKept(body, view, path)
  }
  for (const [path, sha256] of Object.entries(facts.files)) {
    const bytes = await file(path)
    assert.equal(createHash('sha256').update(bytes).digest('hex'), sha256, path)
  }
}

async function tokensWork({ facts: { tokens, cookie }, admin, url }: Upgraded): Promise<void> {
  const statusOf = async (token: string, path: string) => (await admin.as(token).get(path)).status
  for (const token of [tokens.read, tokens.tasks, tokens.write, tokens.admin])
    assert.equal(await statusOf(token, '/api/task/'), 200)
  assert.equal(await statusOf(tokens.expired, '/api/task/'), 401)
  assert.deepEqual(
    [await statusOf(tokens.write, '/api/token/'), await statusOf(tokens.admin, '/api/token/')],
    [403, 200],
  )
  const { items } = (await admin.as(tokens.tasks).get('/api/experience/')).body
  assert.deepEqual(
    items.map((item: { experience_id: string }) => item.experience_id),
    ['park'],
  )
  const session = await fetch(`${url}/api/session/`, { headers: { cookie } })
  assert.equal(session.status, 200, await session.text())
}

async function allEnd({ facts, admin, receiver, file }: Upgraded): Promise<void> {
  for (const path of facts.unfinished) {
    const ended = await until(`${path} has ended`, async () => {
      const { body } = await admin.get(path)
      return !['Waiting', 'Running'].includes(body.status) && body
    })
    const expected = withFfmpeg.skip && ended.configuration === 'film' ? 'Failed' : 'Succeeded'
    assert.equal(ended.status, expected, JSON.stringify(ended))
  }
  for (const path of Object.keys(facts.authorization))
    assert.ok(
      receiver.received.some(({ url }) => url.startsWith(path)),
      `something was delivered to ${path}`,
    )
  const walls = (paths: string[]) => paths.filter(path => path.startsWith('/api/task/'))
  const framed: Buffer[] = []
  for (const path of walls([...Object.keys(facts.views), ...facts.unfinished]))
    if ((await admin.get(path)).body.configuration === 'photo to wall')
      framed.push(
        await sharp(await file(`${path}output/1/`))
          .raw()
          .toBuffer(),
      )
  const [before, after] = framed
  assert.ok(framed.length === 2 && before && after && before.length === after.length)
  const most = Math.max(...before.map((value, at) => Math.abs(value - (after[at] ?? 0))))
  assert.ok(most <= 8, `the frame of then was used: at most ${most} apart`)
}

async function callbacksCome({ facts, receiver }: Upgraded): Promise<void> {
  for (const one of facts.waiting) await comes(one, facts, receiver)
}

async function comes(
  { callback_id, experience_id, body }: Facts['waiting'][number],
  facts: Facts,
  receiver: Receiver,
): Promise<void> {
  const request = await until(`the callback ${callback_id} comes`, () =>
    receiver.received.find(({ headers }) => headers['webhook-id'] === callback_id),
  )
  assert.equal(request.body.toString(), body)
  const secrets = facts.webhook_secrets[experience_id] ?? []
  assert.ok(secrets.length > 0)
  for (const secret of secrets) new Webhook(secret).verify(body, request.headers as Record<string, string>)
}

async function resent({ facts, admin, receiver }: Upgraded): Promise<void> {
  for (const one of facts.givenUp) {
    assert.equal((await admin.post(`/api/callback/${one.callback_id}/resend/`)).status, 202)
    await comes(one, facts, receiver)
  }
}

async function replayed({ facts, admin, file }: Upgraded): Promise<void> {
  for (const { key, task_id } of facts.idempotent) {
    const body = new FormData()
    body.append('configuration_name', 'flip')
    body.append('data', new Blob([new Uint8Array(await file(`/api/task/${task_id}/input/`))]))
    const answer = await admin.send('POST', '/api/task/', { body, headers: { 'idempotency-key': key } })
    assert.deepEqual([answer.status, answer.body.task_id], [202, task_id])
  }
}

async function lateGuest({ facts: { pending }, admin }: Upgraded): Promise<void> {
  const made = await admin.post('/api/profile/', { experience_id: 'park', rfid: pending.rfid })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { items } = (await admin.get(`/api/activity/?task_id=${pending.task_id}`)).body
  assert.deepEqual(
    items.map((item: { owner_id: string }) => item.owner_id),
    [made.body.profile_id],
  )
}
