// Limits of running time that run out when the test says so, not when the machine gets there.
import type { TestContext } from 'node:test'

/** Seconds that no other timer of a service has. */
export const HELD_SECONDS = 50_000

/** Holds every timer of `HELD_SECONDS` that is set from now on. Answers a function that lets all of them run out. */
export function holdLimits({ mock }: TestContext): () => void {
  const held: (() => void)[] = []
  const { setTimeout } = globalThis
  // What a task has worked already is taken off.
  const isHeld = (ms = 0): boolean => ms <= HELD_SECONDS * 1_000 && ms > (HELD_SECONDS - 1_000) * 1_000
  const hold = (run: () => void, ms?: number, ...given: []) => {
    if (isHeld(ms)) held.push(run)
    return setTimeout(run, ms, ...given)
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
