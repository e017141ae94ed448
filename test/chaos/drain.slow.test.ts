// SIGTERM under load: everything stops in order and in time, and nothing is lost or held against a task.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import {
  assertNothingLeft,
  assertOutcomes,
  configure,
  type Grounds,
  newGrounds,
  sendTask,
  settled,
} from '../support/chaos.ts'
import type { Part } from '../support/chaos-process.ts'
import { type FlakyProxy, startProxy } from '../support/flaky-proxy.ts'
import { pattern, png } from '../support/pictures.ts'
import { soon, until } from '../support/until.ts'

const LIMIT_MS = 30_000
const ROUNDS = 3
const TASKS = 20

async function stops(part: Part): Promise<number> {
  const begun = performance.now()
  part.kill('SIGTERM')
  assert.equal(await part.exit(), 0, part.said())
  const tookMs = Math.round(performance.now() - begun)
  assert.ok(tookMs < LIMIT_MS, `it took ${tookMs} ms`)
  return tookMs
}

async function ready(grounds: Grounds, api: Part): Promise<Blob> {
  await configure(grounds, grounds.client(api.url))
  await grounds.client(api.url).post('/api/profile/', { rfid: 'r1', experience_id: 'park' })
  return new Blob([new Uint8Array(await png(pattern(24, 16, 3)))])
}

let grounds: Grounds
let api: Part
let data: Blob
before(async () => {
  grounds = await newGrounds()
  api = await grounds.start('api')
  data = await ready(grounds, api)
})
after(() => grounds?.stop())

test('a worker that is asked to stop under load exits 0 within 30 s, three times, and nothing is lost or charged', async t => {
  const { destination } = grounds
  for (let round = 0; round < ROUNDS; round++) {
    const worker = await grounds.start('worker')
    const seen = destination.requests()
    // One delivery never comes to an end: it is handed back when the time is over.
    if (round === 0) destination.mood = () => (destination.requests() === seen + 2 ? 'hang' : 'fine')
    for (let task = 0; task < TASKS; task++) {
      const sent = await sendTask(api.url, grounds.token, { configuration: 'park', data, extras: { rfid: 'r1' } })
      assert.equal(sent?.status, 202)
    }
    await until('work is under way', async () => destination.requests() > seen + 2)
    t.diagnostic(`stopped in ${await stops(worker)} ms`)
    assert.deepEqual(await grounds.query(`select from tasks where worker_id is not null`), [])
    destination.mood = () => 'fine'
  }
  const last = await grounds.start('worker')
  await settled(grounds)
  assert.deepEqual(
    await grounds.query(`select from entries where deaths > 0 or attempts - cut_off > 1 or status <> 'Succeeded'`),
    [],
  )
  await stops(last)
  await assertOutcomes(grounds)
  await assertNothingLeft(grounds)
})

test('an API that is asked to stop during an upload that never ends, and with listeners, exits 0 within 30 s', async t => {
  const sent = await sendTask(api.url, grounds.token, { configuration: 'park', data, extras: { rfid: 'r1' } })
  const headers = { authorization: `Bearer ${grounds.token}` }
  const events = await fetch(`${api.url}/api/task/${sent?.body.task_id}/events/`, { headers })
  assert.equal(events.status, 200)
  const following = events.text().catch(() => 'broken off')
  const upload = slowUpload(Number(new URL(api.url).port), grounds.token)
  await until('the upload has begun', async () => upload.sent() > 3)
  t.diagnostic(`stopped in ${await stops(api)} ms`)
  upload.end()
  await soon('the events have ended', following)
  const worker = await grounds.start('worker')
  await settled(grounds)
  await stops(worker)
  await assertOutcomes(grounds)
  await assertNothingLeft(grounds)
})

for (const [how, goesAway] of [
  ['refuses', (proxy: FlakyProxy) => proxy.down()],
  ['is silent', (proxy: FlakyProxy) => Object.assign(proxy, { holdAfter: proxy.sent() })],
] as const)
  test(`a worker that is asked to stop while the database ${how} exits 0 within 30 s, and others take over`, async t => {
    const { destination } = grounds
    const url = new URL(grounds.databaseUrl())
    const proxy = await startProxy({ port: Number(url.port) })
    t.after(() => proxy.stop())
    url.searchParams.delete('host')
    url.port = String(proxy.port)
    const worker = await grounds.start('worker', { DATABASE_URL: url.href })
    const again = await grounds.start('api')
    const seen = destination.requests()
    destination.mood = () => 'hang'
    const sent = await sendTask(again.url, grounds.token, { configuration: 'park', data, extras: { rfid: 'r1' } })
    assert.equal(sent?.status, 202)
    await until('it delivers', async () => destination.requests() > seen)
    await goesAway(proxy)
    t.diagnostic(`stopped in ${await stops(worker)} ms`)
    destination.mood = () => 'fine'
    const other = await grounds.start('worker')
    await settled(grounds)
    await stops(other)
    await stops(again)
    await assertOutcomes(grounds)
    await assertNothingLeft(grounds)
  })

/** A guest on a bad line: a few bytes again and again, for ever. */
function slowUpload(port: number, token: string): { sent(): number; end(): void } {
  let sent = 0
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  socket.write(
    `POST /api/task/ HTTP/1.1\r\nhost: test\r\nauthorization: Bearer ${token}\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: 100000000\r\n\r\n--b\r\nContent-Disposition: form-data; name="data"; filename="a.png"\r\n\r\n`,
  )
  const drip = setInterval(() => {
    socket.write('drop')
    sent++
  }, 50)
  return {
    sent: () => sent,
    end() {
      clearInterval(drip)
      socket.destroy()
    },
  }
}
