// A budget that work reserves from: whoever finds no room waits its turn.
import { Problem } from '#kit/errors.ts'

export interface Budget {
  /** Waits until `amount` is free (at most the whole budget is ever asked for); dispose to give it back. */
  reserve(amount: number, signal?: AbortSignal): Promise<Disposable>
  used(): number
}

export function newBudget(total: number): Budget {
  let used = 0
  const waiting: { amount: number; grant: () => void }[] = []

  function release(amount: number): void {
    used -= amount
    // In order, so that a big one is not starved by small ones.
    for (let next = waiting[0]; next && used + next.amount <= total; next = waiting[0]) {
      waiting.shift()
      next.grant()
    }
  }

  return {
    used: () => used,
    reserve(wanted, signal) {
      const amount = Math.min(wanted, total)
      const { promise, resolve, reject } = Promise.withResolvers<Disposable>()
      const grant = (): void => {
        used += amount
        signal?.removeEventListener('abort', abort)
        resolve({ [Symbol.dispose]: () => release(amount) })
      }
      const place = { amount, grant }
      const abort = (): void => {
        const at = waiting.indexOf(place)
        if (at < 0) return
        waiting.splice(at, 1)
        reject(new Problem('cancelled', 'It was cancelled.'))
      }
      if (waiting.length === 0 && used + amount <= total) grant()
      else {
        waiting.push(place)
        signal?.addEventListener('abort', abort, { once: true })
      }
      return promise
    },
  }
}
