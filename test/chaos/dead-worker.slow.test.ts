// How soon the work of a worker that was killed runs again.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { part, start } from '../start/keepsake.ts'
import { assertOutcomes, configure, newGrounds, sendTask, settled } from '../support/chaos.ts'
import { killAnyway } from '../support/clean-up.ts'
import { pattern, png } from '../support/pictures.ts'
import { until } from '../support/until.ts'

const LIMIT_MS = 15_000
const ROUNDS = 3

test('a task whose worker was killed runs again within 15 s', async t => {
  const grounds = await newGrounds()
  t.after(() => grounds.stop())
  const api = await grounds.start('api')
  await configure(grounds, grounds.client(api.url))
  await grounds.client(api.url).post('/api/profile/', { rfid: 'r1', experience_id: 'park' })
  const data = join(grounds.folder, 'worker')
  mkdirSync(data)
  const env = {
    ...grounds.env,
    KEEPSAKE_ROLE: 'worker',
    KEEPSAKE_DATA: data,
    KEEPSAKE_BLOBS: `file:${join(grounds.folder, 'blobs')}`,
  }
  const keepsake = start(t, { data, env })
  await keepsake.ready()
  const picture = new Blob([new Uint8Array(await png(pattern(24, 16, 3)))])
  const { destination } = grounds
  for (let round = 0; round < ROUNDS; round++) {
    const seen = destination.requests()
    destination.mood = () => 'hang'
    const sent = await sendTask(api.url, grounds.token, {
      configuration: 'park',
      data: picture,
      extras: { rfid: 'r1' },
    })
    assert.equal(sent?.status, 202)
    await until('the delivery is under way', async () => destination.requests() > seen)
    destination.mood = () => 'fine'
    const killedAt = performance.now()
    killAnyway(part(keepsake.pid, 'worker') ?? 0)
    await until('it is under way again', async () => destination.requests() > seen + 1)
    const tookMs = Math.round(performance.now() - killedAt)
    t.diagnostic(`round ${round + 1}: ${tookMs} ms`)
    assert.ok(tookMs < LIMIT_MS, `it took ${tookMs} ms`)
    await settled(grounds)
  }
  keepsake.kill('SIGTERM')
  assert.equal(await keepsake.exit(), 0, keepsake.said())
  await assertOutcomes(grounds)
})
