// Erasures whose targets hang: whoever asked gets an answer, a worker that must stop stops, and nothing of it is forgotten.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import pg from 'pg'
import { runWorker } from '../../src/app.ts'
import { cleanUp } from '../support/clean-up.ts'
import { startReceiver } from '../support/https-receiver.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { soon, until } from '../support/until.ts'

/** More than the caller waits for. */
const DELIVERIES = 4

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

it('is answered in time, let go of at a stop, and ends when the target is back', async t => {
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
    const { status, body } = await client.delete(`/api/profile/${guest.profile_id}/?media=retract`)
    assert.ok(tries < DELIVERIES, 'not each was asked to its own end')
    assert.deepEqual([status, body.status, body.removed], [202, 'Running', []], JSON.stringify(body))

    // No try ends by itself from here on.
    const endless = t.mock.method(AbortSignal, 'timeout', () => new AbortController().signal)
    const before = tries
    await until('the worker tries it', () => tries > before)
    await soon('the worker lets go of it', worker.drain())
    endless.mock.restore()
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
