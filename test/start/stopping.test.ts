// While it finishes what runs, a Keepsake that stops says so instead of being gone, and takes no new work.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { newClient } from '../support/client.ts'
import { startReceiver } from '../support/https-receiver.ts'
import { pattern, png } from '../support/pictures.ts'
import { until } from '../support/until.ts'
import { answers, start, testFolder } from './keepsake.ts'

test('readyz is 503 while a delivery is finished, new tasks are refused, questions are answered', async t => {
  const held = Promise.withResolvers<void>()
  const receiver = await startReceiver({
    async answer(_request, response) {
      await held.promise
      response.end()
    },
  })
  t.after(() => receiver.stop())
  const data = join(testFolder(t), 'data')
  const keepsake = start(t, { data, env: { KEEPSAKE_ALLOW_HOSTS: '127.0.0.1' } })
  const url = await keepsake.ready()
  const client = newClient({ url, token: readFileSync(join(data, 'admin-token'), 'utf8').trim() })
  const adapter_config = { defaults: { url: receiver.url, idempotent: true } }
  const told = { configuration_name: 'tell', experience_id: 'park', adapter_name: 'http_post', adapter_config }
  assert.equal((await client.post('/api/configuration/', told)).status, 201)
  const send = async () => {
    const body = new FormData()
    body.append('configuration_name', 'tell')
    body.append('data', new Blob([new Uint8Array(await png(pattern(9, 5, 3)))]))
    return client.send('POST', '/api/task/', { body })
  }
  const { task_id } = (await send()).body
  await until('the delivery is under way', () => receiver.received.length > 0)
  keepsake.kill('SIGTERM')
  await until('it says that it stops', async () => (await answers(url, '/readyz')) === 503)
  assert.equal(await answers(url, '/healthz'), 200)
  const refused = await send()
  assert.deepEqual([refused.status, refused.body.code], [503, 'unavailable'])
  assert.equal((await client.get(`/api/task/${task_id}/`)).body.status, 'Running')
  held.resolve()
  assert.equal(await keepsake.exit(), 0, keepsake.said())
  assert.equal(receiver.received.length, 1)
})
