// The parts of tasks that need no database: commands as text, patience, percentiles, schedules.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { verdict } from '#callbacks/schedule.ts'
import { newBudget } from '#engine/children/budget.ts'
import { Problem } from '#kit/errors.ts'
import { Interruption } from '#tasks/entry/interruption.ts'
import { overallIndex } from '#tasks/entry/loaded.ts'
import { commandText } from '#tasks/run/command-text.ts'
import { newLeg } from '#tasks/run/leg.ts'
import { retryAfterMs, usesAttempt } from '#tasks/run/retry-policy.ts'
import { percentile } from '#tasks/show/overview.ts'

describe('the command shown to operators', () => {
  it('names inputs, outputs and assets, and shows no path', () => {
    const labels = new Map([
      ['/w/in', '{input}'],
      ['/w/out/x.mp4', '{output}'],
      ['/w/logo', '{asset:overlay_file_name}'],
    ])
    const text = commandText(
      [
        '/usr/bin/ffmpeg',
        '-i',
        '/w/in',
        '-i',
        '/w/logo',
        '-filter_complex',
        "[0:v]fade='a b'",
        '-map',
        '0:v',
        '/w/out/x.mp4',
        '/w/other/list.txt',
      ],
      labels,
    )
    assert.equal(
      text,
      `ffmpeg -i {input} -i {asset:overlay_file_name} -filter_complex '[0:v]fade='\\''a b'\\''' -map 0:v {output} list.txt`,
    )
  })
})

describe('patience', () => {
  it('is decided by whose fault it was', () => {
    assert.equal(retryAfterMs(new Problem('destination_refused', 'x'), 1), null)
    assert.equal(retryAfterMs(new Problem('corrupt_input', 'x'), 1), null)
    assert.equal(retryAfterMs(new Problem('unavailable', 'x'), 99), 5_000)
    assert.equal(retryAfterMs(new Problem('destination_quota', 'x', { retryAfterSeconds: 7 }), 99), 7_000)
    for (const code of ['destination_quota', 'destination_unreachable'] as const) {
      const ms = retryAfterMs(new Problem(code, 'x', { retryAfterSeconds: 1e300 }), 1) as number
      assert.ok(Number.isFinite(new Date(Date.now() + ms).getTime()), `${code}: there is no such date`)
    }
  })

  it('grows while what is ours is away, and uses up no attempt', () => {
    const away = new Problem('unavailable', 'x')
    const pauses = [0, 1, 2, 3, 4, 50].map(tries => retryAfterMs(away, 99, {}, tries))
    assert.deepEqual(pauses, [5_000, 10_000, 20_000, 40_000, 60_000, 60_000])
    const used = [away, new Interruption('internal', 'x'), new Problem('destination_quota', 'x')].map(usesAttempt)
    assert.deepEqual(used, [false, false, false])
    assert.ok(usesAttempt(new Problem('destination_unreachable', 'x')))
  })

  it('doubles, and ends after as many attempts as the options say', () => {
    const unreachable = new Problem('destination_unreachable', 'x')
    const options = { attempts: 3, backoffSeconds: 10 }
    const near = (value: number | null, seconds: number) =>
      assert.ok(value !== null && Math.abs(value / 1000 - seconds) <= seconds * 0.1 + 0.001, `${value}`)
    near(retryAfterMs(unreachable, 1, options), 10)
    near(retryAfterMs(unreachable, 2, options), 20)
    assert.equal(retryAfterMs(unreachable, 3, options), null)
  })
})

describe('the schedule of callbacks', () => {
  const next = (status_code: number | null, attempts: number, retryAfterSeconds: number | null = null) =>
    verdict({ status_code, retryAfterSeconds }, attempts, [5, 30, 120])

  it('2xx is delivered, 410 and the last slot are the end', () => {
    for (const code of [200, 204, 299]) assert.equal(next(code, 0).status, 'Delivered')
    assert.equal(next(410, 0).status, 'GivenUp')
    assert.equal(next(500, 3).status, 'GivenUp')
    assert.equal(next(null, 2).status, 'Waiting')
    assert.equal(next(301, 0).status, 'Waiting')
  })

  it('a longer Retry-After counts up to the slot after next', () => {
    const delay = (asked: number) => (next(503, 0, asked) as { delayMs: number }).delayMs / 1000
    assert.ok(delay(1) <= 5.5)
    assert.equal(delay(20), 20)
    assert.equal(delay(9_999), 35)
  })
})

describe('percentiles', () => {
  it('are right to within a step of the scale', () => {
    const latency = new Map<number, number>()
    for (let ms = 1; ms <= 1000; ms++) {
      const step = Math.floor(Math.log(ms) / Math.log(1.2))
      latency.set(step, (latency.get(step) ?? 0) + 1)
    }
    assert.ok(Math.abs((percentile(latency, 0.5) ?? 0) / 500 - 1) < 0.2)
    assert.ok(Math.abs((percentile(latency, 0.95) ?? 0) / 950 - 1) < 0.2)
    assert.equal(percentile(new Map(), 0.5), null)
  })
})

describe('a leg of a chain', () => {
  it('gives the place of media back with the last media segment, or at once where there is none', () => {
    let given = 0
    const leg = newLeg(2, () => given++)
    leg.mediaEnded()
    assert.equal(given, 0)
    leg.mediaEnded()
    assert.equal(given, 1)
    newLeg(0, () => given++)
    assert.equal(given, 2, 'as after a stop in the middle of a delivery')
  })
})

describe('the memory budget', () => {
  it('lets work wait for room, in order, and gives way to a cancellation', async () => {
    const budget = newBudget(10)
    const first = await budget.reserve(8)
    const order: string[] = []
    const wait = async (amount: number, name: string): Promise<Disposable> => {
      const room = await budget.reserve(amount)
      order.push(name)
      return room
    }
    const big = wait(99, 'big')
    const small = wait(1, 'small')
    const stop = new AbortController()
    const cancelled = budget.reserve(1, { signal: stop.signal })
    stop.abort()
    await assert.rejects(cancelled, { code: 'cancelled' })
    first[Symbol.dispose]()
    ;(await big)[Symbol.dispose]()
    ;(await small)[Symbol.dispose]()
    assert.deepEqual(order, ['big', 'small'])
    assert.equal(budget.used(), 0)
  })
})

describe('names inside a group', () => {
  it('two chains never share an index at a destination', () => {
    const chains = [
      { index: 0, entries: [1, 2, 3] },
      { index: 1, entries: [1, 2] },
    ]
    const task = { chains } as never
    assert.deepEqual([overallIndex(task, chains[0] as never, 2), overallIndex(task, chains[1] as never, 0)], [2, 3])
  })
})
