// A worker that dies between taking a job and beginning it: the job is there again for anybody, and nobody had to look for it.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
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
import { pattern, png } from '../support/pictures.ts'
import { until } from '../support/until.ts'

suite('a worker dies with a job in hand', () => {
  let answer = 503
  let grounds: Grounds
  let api: Part
  let data: Blob
  before(async () => {
    grounds = await newGrounds({ answer: (_request, response) => void response.writeHead(answer).end() })
    api = await grounds.start('api')
    await configure(grounds, grounds.client(api.url))
    await grounds.client(api.url).post('/api/profile/', { rfid: 'r1', experience_id: 'park' })
    data = new Blob([new Uint8Array(await png(pattern(24, 16, 3)))])
  })
  after(() => grounds?.stop())

  for (const { what, point, lane } of [
    { what: 'a task', point: 'fetch.after', lane: 'picture' },
    { what: 'a task it had just claimed', point: 'claim.after', lane: 'picture' },
    { what: 'a callback', point: 'callback_claim.after', lane: 'callback' },
  ])
    test(`${what}: its job can be taken again although no other worker runs`, async () => {
      answer = 503
      const sent = await sendTask(api.url, grounds.token, { configuration: 'park', data, extras: { rfid: 'r1' } })
      assert.equal(sent?.status, 202)
      const worker = await grounds.start('worker', {
        KEEPSAKE_FAILPOINT: `${point}:${join(grounds.folder, `died-${point}`)}`,
      })
      assert.equal(await worker.exit(), 'SIGKILL', worker.said())
      await until('the job waits again', async () => {
        const jobs = await grounds.query<{ name: string; state: string }>('select name, state from pgboss.job')
        return jobs.some(({ name, state }) => name === lane && state === 'created')
      })
      answer = 200
      const next = await grounds.start('worker')
      await settled(grounds)
      next.kill('SIGTERM')
      assert.equal(await next.exit(), 0, next.said())
      await assertOutcomes(grounds)
      await assertNothingLeft(grounds)
    })
})
