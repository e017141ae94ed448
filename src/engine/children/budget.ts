// A budget that work reserves from: whoever finds no room waits its turn, but not for the long work of another.
import { cancellation } from '#kit/errors.ts'

export interface Budget {
  /** Waits until `amount` is free (at most the whole budget is ever asked for); dispose to give it back. */
  reserve(amount: number, options?: Reserving): Promise<Disposable>
  used(): number
}

interface Reserving {
  /** For whom. Null: it waits for whatever is before it. */
  owner?: string | null
  signal?: AbortSignal | undefined
}

interface Share {
  amount: number
  owner: string | null
  isLong: boolean
}

interface Waiting extends Share {
  grant(): void
}

/** Work on pictures is done sooner. */
const LONG_MS = 5_000

/**
 * What is held for long does not keep an owner waiting who holds nothing: beside it there is room once more. So twice the total is
 * the most that is ever used.
 */
export function newBudget(total: number, longMs = LONG_MS): Budget {
  const held = new Set<Share>()
  const waiting: Waiting[] = []
  const sum = (shares: Iterable<Share>): number => [...shares].reduce((all, { amount }) => all + amount, 0)
  const used = (): number => sum(held)

  const holdsNothing = ({ owner }: Share): boolean => owner !== null && ![...held].some(share => share.owner === owner)

  const besideLong = ({ amount }: Share): boolean =>
    used() + amount <= 2 * total && sum([...held].filter(({ isLong }) => !isLong)) + amount <= total

  /** In order, so that a big one is not starved by small ones. */
  function next(): void {
    let [first, firstBeside] = [true, true]
    for (const place of [...waiting]) {
      const beside = holdsNothing(place)
      if ((first && used() + place.amount <= total) || (beside && firstBeside && besideLong(place))) {
        waiting.splice(waiting.indexOf(place), 1)
        place.grant()
        continue
      }
      first = false
      if (beside) firstBeside = false
    }
  }

  return {
    used,
    reserve(wanted, { owner = null, signal } = {}) {
      const { promise, resolve, reject } = Promise.withResolvers<Disposable>()
      const share: Share = { amount: Math.min(wanted, total), owner, isLong: false }
      function grant(): void {
        held.add(share)
        signal?.removeEventListener('abort', abort)
        const clock = setTimeout(() => {
          share.isLong = true
          next()
        }, longMs).unref()
        resolve({
          [Symbol.dispose]() {
            clearTimeout(clock)
            held.delete(share)
            next()
          },
        })
      }
      const place: Waiting = { ...share, grant }
      function abort(): void {
        const at = waiting.indexOf(place)
        if (at < 0) return
        waiting.splice(at, 1)
        reject(cancellation())
        next()
      }
      if (signal?.aborted) return Promise.reject(cancellation())
      waiting.push(place)
      signal?.addEventListener('abort', abort, { once: true })
      next()
      return promise
    },
  }
}
