// Erasures whose targets hang: whoever asked gets an answer, a worker that must stop stops, and nothing of it is forgotten.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import pg from 'pg'
import { runWorker } from '../../src/app.ts'
import { cleanUp } from '../support/clean-up.ts'
import { startReceiver } from '../support/https-receiver.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { until } from '../support/until.ts'

const DELIVERIES = 4
/** Asked one after the other, each to its own end, all of them together take much longer. */
const SOON_MS = 20_000

let keepsake: Keepsake
let receiver: Awaited<ReturnType<typeof startReceiver>>
let pool: pg.Pool
const stored = new Set<string>()
const hanging = Promise.withResolvers<void>()
let tries = 0

before(async () => {
  receiver = await startReceiver({
    async answer({ method, url: asked }, response) {
      const url = asked.split('?', 1)[0] as string
      if (method === 'PUT') stored.add(url)
      if (method === 'DELETE') {
        tries++
        await hanging.promise
        stored.delete(url)
      }
      response.writeHead(method === 'DELETE' ? 204 : 200, { etag: '"x"' }).end()
    },
  })
  keepsake = await startKeepsake({ worker: false })
  pool = new pg.Pool({ connectionString: keepsake.databaseUrl, max: 1 })
  const defaults = { bucket_name: 'bucket', bucket_url: receiver.url }
  const auth = { access_key: 'a', secret_key: 'b' }
  await keepsake.configure(single('store', 's3_upload', defaults, { adapter_config: { auth, defaults } }))
})
after(() =>
  cleanUp(
    () => hanging.resolve(),
    () => pool.end(),
    () => keepsake.stop(),
    () => receiver.stop(),
  ),
)

it('is answered in time, let go of at a stop, and ends when the target is back', async () => {
  const { client, settings } = keepsake
  const data = new Blob([new Uint8Array(await png(pattern(9, 5, 3)))])
  const { body: guest } = await client.post('/api/profile/', { rfid: 'band' })
  let worker = await runWorker(settings)
  try {
    for (let n = 0; n < DELIVERIES; n++) {
      const { body } = await keepsake.send('/api/task/', {
        configuration_name: 'store',
        data,
        extras: '{"rfid":"band"}',
      })
      assert.equal((await keepsake.ended(`/api/task/${body.task_id}/`)).status, 'Succeeded')
    }
    const asked = performance.now()
    const { status, body } = await client.delete(`/api/profile/${guest.profile_id}/?media=retract`)
    const answered = performance.now() - asked
    assert.ok(answered < SOON_MS, `${Math.round(answered)} ms`)
    assert.deepEqual([status, body.status, body.removed], [202, 'Running', []], JSON.stringify(body))

    const before = tries
    await until('the worker tries it', () => tries > before)
    const begun = performance.now()
    await worker.drain()
    const drained = performance.now() - begun
    assert.ok(drained < 7_000, `${Math.round(drained)} ms`)
    assert.equal(stored.size, DELIVERIES)

    hanging.resolve()
    await pool.query(`update erasure_lines set next_at = now() where state = 'pending'`)
    await pool.query(`update erasures set next_at = now()`)
    worker = await runWorker(settings)
    const done = await until('all is gone', async () => {
      const { body: signed } = await client.get(`/api/erasure/${body.erasure_id}/`)
      const receipt = JSON.parse(signed.receipt)
      return receipt.status === 'Done' && receipt
    })
    assert.deepEqual([done.removed.length, done.kept, done.pending, stored.size], [DELIVERIES, [], [], 0])
  } finally {
    await worker.drain()
  }
})
