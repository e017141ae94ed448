// Something between us and the database forgets the connections that are open, silently, while new ones work.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { usualPace } from '#db/pace.ts'
import type { Running } from '#supervisor/run-process.ts'
import { runApi, runWorker } from '../../src/app.ts'
import { cleanUp } from '../support/clean-up.ts'
import { statusOf } from '../support/client.ts'
import { type FlakyProxy, startProxy } from '../support/flaky-proxy.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { until } from '../support/until.ts'

/** Shorter than usual: nobody waits for the test. Long enough that the work of a busy machine is little beside the wait for an answer. */
const pace = { ...usualPace, answerMs: 6_000, longMs: 12_000, beatMs: 500, beatAnswerMs: 800, stuckMs: 30_000 }

/** A Keepsake without a worker, and a way to its database that can forget. */
async function beside(t: TestContext) {
  const keepsake = await startKeepsake({ worker: false })
  const before: (() => Promise<void>)[] = []
  t.after(() => cleanUp(...before, keepsake.stop))
  await keepsake.configure(single('flip', 'photo_flip', { method: 'ROTATE_180' }))
  const url = new URL(keepsake.databaseUrl)
  const proxy = await startProxy({ port: Number(url.port) })
  url.searchParams.delete('host') // Not by the socket file.
  url.port = String(proxy.port)
  before.push(proxy.stop)
  const run = (part: Running): void => void before.unshift(() => part.drain())
  return { keepsake, proxy, run, settings: { ...keepsake.settings, databaseUrl: url.href } }
}

async function send(keepsake: Keepsake): Promise<string> {
  const data = new Blob([new Uint8Array(await png(pattern(24, 16, 3)))])
  const { status, body } = await keepsake.send('/api/task/', { configuration_name: 'flip', data })
  assert.equal(status, 202, JSON.stringify(body))
  return body.task_id
}

const finish = async (keepsake: Keepsake, taskId: string): Promise<void> =>
  assert.equal((await keepsake.ended(`/api/task/${taskId}/`)).status, 'Succeeded')

test('a worker whose connections were forgotten goes on over new ones', async t => {
  const { keepsake, proxy, run, settings } = await beside(t)
  const worker = await runWorker(settings, pace)
  run(worker)
  await finish(keepsake, await send(keepsake))
  for (let round = 0; round < 2; round++) {
    proxy.forget()
    const begun = performance.now()
    await finish(keepsake, await send(keepsake))
    const tookMs = performance.now() - begun
    t.diagnostic(`round ${round + 1}: ${Math.round(tookMs)} ms`)
    assert.ok(tookMs < 2 * pace.answerMs, `it took ${tookMs} ms`)
  }
})

async function states(url: string, proxy: FlakyProxy, wanted: number[]): Promise<void> {
  proxy.forget()
  for (const status of wanted)
    await until(`readyz answers ${status}`, async () => (await statusOf(`${url}/readyz`)) === status, 20_000)
}

test('an API whose connections were forgotten says that it is not ready, and goes on over new ones', async t => {
  const { proxy, run, settings } = await beside(t)
  const api = await runApi(settings, { ...pace, beatMs: 4_000 })
  run(api)
  const url = api.url as string
  assert.equal(await statusOf(`${url}/readyz`), 200)
  await states(url, proxy, [503, 200])
  await states(url, proxy, [503, 200])
})
