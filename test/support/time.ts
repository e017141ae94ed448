// Time that passes only when a test says so.
import type { TestContext } from 'node:test'

/** Holds `performance.now` and `setTimeout` still; the returned function lets so many milliseconds pass. */
export function timeByHand(t: TestContext): (ms: number) => void {
  let now = 0
  t.mock.timers.enable({ apis: ['setTimeout'] })
  t.mock.method(performance, 'now', () => now)
  return ms => {
    now += ms
    t.mock.timers.tick(ms)
  }
}
