// A job ends when its child has had more processor time than it may, and never because the machine gave it none.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { test } from 'node:test'
import { boundProcessor, spentBy } from '#media/process/processor-bound.ts'
import { timeByHand } from '../support/time.ts'
import { until } from '../support/until.ts'

/** Looks at a job that has had so many seconds at each look. */
function bounded(t: Parameters<typeof timeByHand>[0], had: (look: number) => number | null) {
  const pass = timeByHand(t)
  const seen = { looks: 0, over: 0 }
  const stop = boundProcessor(
    1,
    10,
    () => seen.over++,
    () => had(seen.looks++),
  )
  return { pass, seen, stop }
}

test('a job that has had its seconds is ended, and not before', t => {
  const had = [100, 109.9, 110]
  const { pass, seen } = bounded(t, look => had[look] ?? 0)
  pass(1_000)
  assert.deepEqual(seen, { looks: 1, over: 0 })
  pass((10 / availableParallelism()) * 1_000)
  assert.deepEqual(seen, { looks: 2, over: 0 })
  pass(1_000)
  assert.deepEqual(seen, { looks: 3, over: 1 })
})

test('a job that gets no processor time is left alone, however long it takes; so is one of which the system does not tell', t => {
  for (const had of [100, null]) {
    const { pass, seen, stop } = bounded(t, () => had)
    for (let hour = 0; hour < 10; hour++) pass(3_600_000)
    assert.equal(seen.over, 0)
    stop()
    t.mock.timers.reset()
    t.mock.restoreAll()
  }
})

test('a job that is over is not looked at any more', t => {
  const { pass, seen, stop } = bounded(t, () => 0)
  stop()
  pass(3_600_000)
  assert.equal(seen.looks, 0)
})

const onLinux = process.platform === 'linux' ? false : 'only Linux tells'

test('the time of a group is that of all in it, ended ones too', { skip: onLinux }, async t => {
  const busy = spawn('sh', ['-c', 'sh -c "i=0; while [ \\$i -lt 200000 ]; do i=\\$((i+1)); done"; exec sleep 600'], {
    detached: true,
  })
  const { pid = 0 } = busy
  t.after(() => process.kill(-pid, 'SIGKILL'))
  const spent = await until('it has worked for a while', () => (spentBy(pid) ?? 0) > 0.1 && spentBy(pid))
  assert.ok(spent && spent > 0.1)
  assert.equal(spentBy(2 ** 30), 0)
})
