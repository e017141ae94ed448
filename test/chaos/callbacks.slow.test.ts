// Callbacks in great numbers: to a receiver that fails half the time, and beside one that never answers.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { type Db, openDatabase } from '#db/database.ts'
import { newId } from '#kit/ids.ts'
import { newLog } from '#kit/log.ts'
import { type Queue, startQueue } from '#queue/queue.ts'
import { cleanUp } from '../support/clean-up.ts'
import { type Received, type Receiver, startReceiver } from '../support/https-receiver.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { random, seedOf } from '../support/seed.ts'
import { until } from '../support/until.ts'

const COUNT = 1_000

/** Puts callbacks in as the end of a task does: row and job in one transaction. */
async function put(db: Db, queue: Queue, url: string, count: number): Promise<Map<string, string>> {
  const bodies = new Map<string, string>()
  const receiver = new URL(url).host
  for (let at = 0; at < count; at += 50)
    await db.transaction().execute(async trx => {
      for (let index = at; index < Math.min(at + 50, count); index++) {
        const [callback_id, task_id] = [newId(), newId()]
        const body = JSON.stringify({ task_id, configuration: 'park', status: 'Succeeded', results: [] })
        const ticket = { ...(await queue.takeTicket('callback', receiver, trx)), lane: 'callback' as const }
        const job_id = await queue.send(trx, ticket, { callback_id })
        const now = new Date()
        await trx
          .insertInto('callbacks')
          .values({
            callback_id,
            job_id,
            task_id,
            run: 1,
            experience_id: 'park',
            url,
            receiver,
            body,
            status: 'Waiting',
            next_attempt_at: now,
            created_at: now,
            updated_at: now,
          })
          .execute()
        bodies.set(callback_id, body)
      }
    })
  return bodies
}

async function withQueue(keepsake: Keepsake, work: (db: Db, queue: Queue) => Promise<void>): Promise<void> {
  const log = newLog('silent', 'test')
  const database = openDatabase(keepsake.databaseUrl, log)
  const queue = await startQueue(database, log, false)
  try {
    await work(database.db, queue)
  } finally {
    await queue.stop()
    await database.close()
  }
}

const waiting = async (db: Db, url: string): Promise<number> =>
  (
    await db
      .selectFrom('callbacks')
      .select('callback_id')
      .where('url', '=', url)
      .where('status', '=', 'Waiting')
      .execute()
  ).length

test('1,000 callbacks reach a receiver that fails half the time, each signed so that others can verify it', async t => {
  const next = random(seedOf(t, 8))
  const keepsake = await startKeepsake({ settings: { callbackDelays: Array.from({ length: 60 }, () => 0.05) } })
  const receiver = await startReceiver({
    answer: (_request, response) => {
      const luck = next()
      if (luck < 0.1) response.destroy()
      else response.writeHead(luck < 0.5 ? 503 : 204).end()
    },
  })
  t.after(() =>
    cleanUp(
      () => receiver.stop(),
      () => keepsake.stop(),
    ),
  )
  await keepsake.configure(single('park', 'photo_flip'))
  const { body } = await keepsake.client.get('/api/experience/park/')
  const secret = String(body.webhook_secret)
  await withQueue(keepsake, async (db, queue) => {
    const bodies = await put(db, queue, `${receiver.url}/hook`, COUNT)
    await until('all are delivered', async () => (await waiting(db, `${receiver.url}/hook`)) === 0, 240_000)
    const ids = new Set<string>()
    for (const request of receiver.received) ids.add(verified(request, secret, bodies))
    assert.equal(ids.size, COUNT)
    assert.ok(receiver.received.length > COUNT * 1.5, 'many were tried again')
    const { items } = (await keepsake.client.get('/api/callback/?status=GivenUp')).body
    assert.deepEqual(items, [], 'none was given up')
  })
})

/** By the published library, and by the words of the specification. */
function verified({ headers, body }: Received, secret: string, bodies: ReadonlyMap<string, string>): string {
  const text = body.toString()
  const id = String(headers['webhook-id'])
  new Webhook(secret).verify(text, headers as Record<string, string>)
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const hash = createHmac('sha256', key).update(`${id}.${headers['webhook-timestamp']}.${text}`).digest('base64')
  assert.ok(String(headers['webhook-signature']).split(' ').includes(`v1,${hash}`))
  assert.equal(text, bodies.get(id))
  return id
}

/** A receiver that answers, and remembers how many attempts `others` had seen when each callback came. */
async function overtaken(others: () => number) {
  const seen = new Map<string, number>()
  const { url, stop } = await startReceiver({
    answer: ({ headers }, response) => {
      seen.set(String(headers['webhook-id']), others())
      response.end()
    },
  })
  return {
    stop,
    /** Sends callbacks one after the other; answers how many attempts at the others each of them had to let pass. */
    async each(db: Db, queue: Queue, count: number): Promise<number[]> {
      const passed: number[] = []
      for (let round = 0; round < count; round++) {
        const before = others()
        const [id = ''] = [...(await put(db, queue, `${url}/hook`, 1)).keys()]
        passed.push((await until('it has arrived', () => seen.has(id) && { at: seen.get(id) ?? 0 })).at - before)
      }
      return passed.sort((a, b) => a - b)
    },
  }
}

test('1,000 callbacks stuck on a black hole delay nobody else’s', async t => {
  const keepsake = await startKeepsake()
  const blackHole = await startReceiver({ raw: () => {} })
  const others = await overtaken(blackHole.connections)
  t.after(() =>
    cleanUp(
      () => Promise.all([blackHole.stop(), others.stop()]),
      () => keepsake.stop(),
    ),
  )
  await keepsake.configure(single('park', 'photo_flip'))
  await withQueue(keepsake, async (db, queue) => {
    await put(db, queue, `${blackHole.url}/hook`, COUNT)
    await until('the black hole holds on to some', async () => blackHole.open() >= 8)
    const passed = await others.each(db, queue, 100)
    t.diagnostic(`attempts at the black hole meanwhile: ${passed.join(' ')}`)
    // One that had to wait for a place would see another attempt begin; a few see one by chance.
    assert.equal(passed[74], 0, 'they come while no attempt at the black hole has ended')
    assert.ok((await waiting(db, `${blackHole.url}/hook`)) === COUNT, 'the others wait still')
  })
})

test('40 callbacks each on 60 black holes, one of which answers now and then, delay nobody else’s', async t => {
  const [HOLES, AT_ONCE] = [60, 8]
  const keepsake = await startKeepsake()
  let asked = 0
  const fickle = await startReceiver({ raw: (_request, response) => void (++asked % 4 === 0 && response.end()) })
  const blackHoles = [
    fickle,
    ...(await Promise.all(Array.from({ length: HOLES - 1 }, () => startReceiver({ raw: () => {} })))),
  ]
  const sum = (count: (hole: Receiver) => number): number => blackHoles.reduce((all, hole) => all + count(hole), 0)
  const others = await overtaken(() => sum(hole => hole.connections()))
  t.after(async () => {
    await Promise.all([...blackHoles, others].map(each => each.stop()))
    await keepsake.stop()
  })
  await keepsake.configure(single('park', 'photo_flip'))
  await withQueue(keepsake, async (db, queue) => {
    for (const hole of blackHoles) await put(db, queue, `${hole.url}/hook`, 40)
    // All that may hang at once; before that, handshakes keep the machine busy.
    await until('the black holes hold on to as many as they get', () => sum(hole => hole.open()) >= HOLES * 7)
    const passed = await others.each(db, queue, 20)
    t.diagnostic(`attempts at the black holes meanwhile: ${passed.join(' ')}`)
    // In a line behind what waits for the holes, each would let five times as many pass.
    assert.ok((passed.at(-1) ?? 0) < HOLES * AT_ONCE, 'the slowest comes before all that hang are tried anew')
  })
})
