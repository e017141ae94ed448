// A look at a file that takes too long: the file's fault only if this process itself was awake.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { test } from 'node:test'
import { newReadWatchdog } from '#engine/children/read-watchdog.ts'
import { spentMs } from '#engine/children/spent.ts'
import { killAnyway } from '../support/clean-up.ts'
import { descendants } from '../support/processes.ts'
import { timeByHand } from '../support/time.ts'
import { until } from '../support/until.ts'

test('a look that takes too long ends the child', t => {
  const pass = timeByHand(t)
  using looks = newReadWatchdog()
  looks.heard({ looking: 50 })
  pass(49)
  assert.equal(looks.verdict(), null)
  pass(1)
  assert.equal(looks.verdict()?.code, 'time_limit')
  assert.ok(looks.signal.aborted)
})

test('a process that stood still itself gives the look its time again', t => {
  const pass = timeByHand(t)
  using looks = newReadWatchdog()
  looks.heard({ looking: 300 })
  const awake = t.mock.method(performance, 'now', () => 1_500)
  pass(300)
  assert.equal(looks.verdict(), null)
  awake.mock.restore()
  pass(300)
  assert.equal(looks.verdict()?.code, 'time_limit')
})

test('a child that hardly had a processor was not kept busy by its file: the machine was too busy', t => {
  const pass = timeByHand(t)
  for (const [had, waits, code, again] of [
    [10, 3, 'full', 10],
    [190, 1, 'time_limit', undefined],
    [null, 1, 'time_limit', undefined],
  ] as const) {
    let asked = 0
    using looks = newReadWatchdog(undefined, () => (had === null ? null : asked++ * had))
    looks.began(1)
    looks.heard({ looking: 200 })
    for (let wait = 0; wait < waits; wait++) {
      assert.equal(looks.verdict(), null)
      pass(200)
    }
    assert.deepEqual([looks.verdict()?.code, looks.verdict()?.retryAfterSeconds], [code, again])
    assert.equal(looks.verdict()?.status, code === 'full' ? 503 : 400)
  }
})

test('a child that had no processor at first is given its time again; its file is judged by what it does then', t => {
  const pass = timeByHand(t)
  // What the child has had when it is asked: before and after a look without a processor, then one that kept it busy.
  const had = [0, 10, 10, 200]
  let asked = 0
  using looks = newReadWatchdog(undefined, () => had[Math.min(asked++, had.length - 1)] ?? null)
  looks.began(1)
  looks.heard({ looking: 200 })
  pass(200)
  assert.equal(looks.verdict(), null)
  pass(200)
  assert.equal(looks.verdict()?.code, 'time_limit')
})

const onLinux = process.platform === 'linux' ? false : 'only Linux tells'

test('the time of a process counts with that of what it started; one that sleeps has none', {
  skip: onLinux,
}, async t => {
  const busy = spawn('sh', ['-c', 'sh -c "while :; do :; done" & wait'])
  const idle = spawn('sleep', ['100'])
  t.after(() => {
    for (const { pid = 0 } of [busy, idle]) for (const each of [...descendants(pid), pid]) killAnyway(each)
  })
  await until('it has worked for a while', () => (spentMs(busy.pid ?? 0) ?? 0) > 300)
  assert.ok((spentMs(idle.pid ?? 0) ?? 999) < (spentMs(busy.pid ?? 0) ?? 0))
  assert.equal(spentMs(2 ** 30), null)
})
