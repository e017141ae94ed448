// A look at a file that takes too long: the file's fault only if this process itself was awake.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { test } from 'node:test'
import { newReadWatchdog } from '#engine/children/read-watchdog.ts'
import { spentMs } from '#engine/children/spent.ts'
import { killAnyway } from '../support/clean-up.ts'
import { descendants } from '../support/processes.ts'
import { until } from '../support/until.ts'

test('a look that takes too long ends the child', async () => {
  using looks = newReadWatchdog()
  looks.heard({ looking: 50 })
  await until('it is over', () => looks.verdict() !== null)
  assert.equal(looks.verdict()?.code, 'time_limit')
  assert.ok(looks.signal.aborted)
})

test('a process that stood still itself gives the look its time again', async () => {
  using looks = newReadWatchdog()
  looks.heard({ looking: 300 })
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500)
  // What the child said meanwhile is read after the timers.
  for (const _turn of [1, 2]) await new Promise(resolve => setImmediate(resolve))
  assert.equal(looks.verdict(), null)
  await until('nobody said that it is over', () => looks.verdict() !== null)
})

test('a child that hardly had a processor was not kept busy by its file: the machine was too busy', async () => {
  for (const [had, code, again] of [
    [10, 'full', 10],
    [190, 'time_limit', undefined],
    [null, 'time_limit', undefined],
  ] as const) {
    let asked = 0
    using looks = newReadWatchdog(undefined, () => (had === null ? null : asked++ * had))
    looks.began(1)
    looks.heard({ looking: 200 })
    await until('it is over', () => looks.verdict() !== null)
    assert.deepEqual([looks.verdict()?.code, looks.verdict()?.retryAfterSeconds], [code, again])
    assert.equal(looks.verdict()?.status, code === 'full' ? 503 : 400)
  }
})

test('a child that had no processor at first is given its time again; its file is judged by what it does then', t => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  // What the child has had when it is asked: before and after a look without a processor, then one that kept it busy.
  const had = [0, 10, 10, 200]
  let asked = 0
  using looks = newReadWatchdog(undefined, () => had[Math.min(asked++, had.length - 1)] ?? null)
  looks.began(1)
  looks.heard({ looking: 200 })
  t.mock.timers.tick(200)
  assert.equal(looks.verdict(), null)
  t.mock.timers.tick(200)
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
  assert.ok((spentMs(idle.pid ?? 0) ?? 999) < 100)
  assert.equal(spentMs(2 ** 30), null)
})
