// Limits of running time that run out when the test says so, not when the machine gets there.
import type { TestContext } from 'node:test'

/** Seconds that no other timer of a service has. */
export const HELD_SECONDS = 50_000

/** Holds every timer of so many seconds that is set from now on. Answers a function that lets all of them run out. */
export function holdLimits({ mock }: TestContext, ...seconds: number[]): () => void {
  const held: (() => void)[] = []
  const { setTimeout } = globalThis
  const isHeld = (ms: number): boolean => seconds.some(limit => isOf(limit, ms))
  const hold = (run: () => void, ms = 0, ...given: []) => {
    if (!isHeld(ms)) return setTimeout(run, ms, ...given)
    held.push(run)
    return setTimeout(() => {}, 2 ** 31 - 1)
  }
  mock.method(globalThis, 'setTimeout', hold as typeof setTimeout)
  const { timeout } = AbortSignal
  mock.method(AbortSignal, 'timeout', (ms: number) => {
    if (!isHeld(ms)) return timeout.call(AbortSignal, ms)
    const controller = new AbortController()
    held.push(() => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')))
    return controller.signal
  })
  return () => {
    for (const run of held.splice(0)) run()
  }
}

/** What a task has worked already is taken off its limit. */
const isOf = (limit: number, ms: number): boolean =>
  limit === HELD_SECONDS ? ms <= limit * 1_000 && ms > (limit - 1_000) * 1_000 : ms === limit * 1_000
