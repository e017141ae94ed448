// One leg of a chain. While one branch works, a deferred branch is retried when it is due. When no branch works, the leg ends.
import { setImmediate as soon } from 'node:timers/promises'

export interface Leg {
  /** Counts as work while it lasts. */
  work<T>(work: () => Promise<T>): Promise<T>
  /** True once `due` has come. False as soon as no branch works: then the task can be released until `due`. */
  until(due: Date, signal: AbortSignal): Promise<boolean>
  /** Call it once for each media segment that is done or failed. */
  mediaEnded(): void
}

/** `media`: how many media segments have not ended. `noMediaLeft` is called when the last one has. */
export function newLeg(media = 0, noMediaLeft = (): void => {}): Leg {
  let working = 0
  let left = media
  const waiting = new Set<() => void>()
  if (left === 0) noMediaLeft()

  /** Waits one turn of the event loop: work that follows the one that ended begins in that turn. */
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
      // After this turn of the event loop, all work that can begin now has begun.
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

/** The longest delay that setTimeout takes. */
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
