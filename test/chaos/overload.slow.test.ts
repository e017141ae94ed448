// More work than there is room for: honest refusals, flat memory, and whatever was accepted is done.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { assertNothingLeft, assertOutcomes, configure, newGrounds, sendTask, settled } from '../support/chaos.ts'
import { pattern, png } from '../support/pictures.ts'

const ROOM = 20
const SENT = 400
const AT_ONCE = 8

const memoryMiB = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

test('a full service refuses with 503 and Retry-After, stays small, and loses nothing that it accepted', async t => {
  const grounds = await newGrounds({ env: { KEEPSAKE_MAX_WAITING: String(ROOM) } })
  t.after(() => grounds.stop())
  const api = await grounds.start('api')
  await configure(grounds, grounds.client(api.url))
  await grounds.client(api.url).post('/api/profile/', { rfid: 'r1', experience_id: 'park' })
  const data = new Blob([new Uint8Array(await png(pattern(200, 200, 3)))])
  const accepted = new Set<string>()
  let refused = 0
  let left = SENT
  const sender = async (): Promise<void> => {
    while (left-- > 0) {
      const answer = await sendTask(api.url, grounds.token, { configuration: 'park', data, extras: { rfid: 'r1' } })
      if (answer?.status === 202) accepted.add(answer.body.task_id)
      else {
        assert.equal(answer?.status, 503, JSON.stringify(answer))
        assert.equal(answer.body.code, 'full')
        assert.ok(Number(answer.retryAfter) >= 1)
        refused++
      }
    }
  }
  const senders = () => Promise.all(Array.from({ length: AT_ONCE }, sender))
  await senders()
  const half = memoryMiB(api.pid)
  left = SENT
  await senders()
  const whole = memoryMiB(api.pid)
  t.diagnostic(`${accepted.size} accepted, ${refused} refused; ${Math.round(half)} MiB, then ${Math.round(whole)} MiB`)
  assert.ok(accepted.size >= ROOM && refused > SENT, 'most were refused')
  assert.ok(whole - half < 60, `memory grew from ${half} to ${whole} MiB`)
  const worker = await grounds.start('worker')
  await settled(grounds)
  const tasks = await grounds.query<{ task_id: string }>(`select task_id from tasks where status = 'Succeeded'`)
  assert.deepEqual(tasks.map(task => task.task_id).sort(), [...accepted].sort())
  worker.kill('SIGTERM')
  assert.equal(await worker.exit(), 0)
  await assertOutcomes(grounds)
  await assertNothingLeft(grounds)
})
