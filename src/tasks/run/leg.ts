// One leg of a chain: while one branch works, another that was put off is tried again when its time comes. When none works, the leg ends.
import { setImmediate as soon } from 'node:timers/promises'

export interface Leg {
  /** Counts as work while it lasts. */
  work<T>(work: () => Promise<T>): Promise<T>
  /** True once the time has come; false as soon as nobody works any more: then the task need not be held for it. */
  until(due: Date, signal: AbortSignal): Promise<boolean>
  /** A media segment has come to its end, one way or another. */
  mediaEnded(): void
}

/** `media`: how many media segments are still to end. `noMediaLeft` is called when the last has. */
export function newLeg(media = 0, noMediaLeft = (): void => {}): Leg {
  let working = 0
  let left = media
  const waiting = new Set<() => void>()

  /** What follows on an end begins in the same turn of the loop. */
  async function rest(): Promise<void> {
    await soon()
    if (working === 0) for (const give of [...waiting]) give()
  }

  return {
    mediaEnded() {
      left--
      if (left === 0) noMediaLeft()
    },
    async work(work) {
      working++
      try {
        return await work()
      } finally {
        working--
        void rest()
      }
    },
    async until(due, signal) {
      // All that can begin now has begun after this.
      await soon()
      if (working === 0 || signal.aborted) return false
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const give = (): void => resolve(false)
      waiting.add(give)
      signal.addEventListener('abort', give, { once: true })
      const timer = wakeAt(due, () => resolve(true))
      try {
        return await promise
      } finally {
        timer[Symbol.dispose]()
        waiting.delete(give)
        signal.removeEventListener('abort', give)
      }
    },
  }
}

/** Longer than a timer can be set for. */
const LONGEST_MS = 2 ** 31 - 1

function wakeAt(due: Date, wake: () => void): Disposable {
  let timer: NodeJS.Timeout
  const set = (): void => {
    const left = due.getTime() - Date.now()
    timer = left > LONGEST_MS ? setTimeout(set, LONGEST_MS) : setTimeout(wake, Math.max(0, left))
  }
  set()
  return { [Symbol.dispose]: () => clearTimeout(timer) }
}
