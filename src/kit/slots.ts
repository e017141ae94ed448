// Places for work that is bounded for each owner. Who finds none is refused, or waits while the owners take turns.
import { Problem } from './errors.ts'

interface Places {
  /** Dispose to leave the place. Null when the owner has the most it may have. */
  take(owner: string, most: number): Disposable | null
}

export function newPlaces(): Places {
  const taken = new Map<string, number>()
  return {
    take(owner, most) {
      const now = taken.get(owner) ?? 0
      if (now >= most) return null
      taken.set(owner, now + 1)
      return {
        [Symbol.dispose]() {
          const left = (taken.get(owner) ?? 1) - 1
          if (left > 0) taken.set(owner, left)
          else taken.delete(owner)
        },
      }
    },
  }
}

/** Places that are bounded in all as well. Who finds none waits, and the owners take turns. */
export interface Slots {
  /** Dispose to leave the place. Throws when too many wait already, or with the reason of the signal. */
  take(owner: string, signal: AbortSignal): Promise<Disposable>
}

interface SlotsOptions {
  total: number
  /** For one owner; less than the total, or one alone could take all of them. */
  each: number
  /** How many of one owner may wait. */
  waiting: number
  /** How many may wait in all. */
  waitingInAll: number
}

const AGAIN_SECONDS = 2

export function newSlots({ total, each, waiting, waitingInAll }: SlotsOptions): Slots {
  const taken = new Map<string, number>()
  /** By owner. The first in this order was served the longest time ago. */
  const queues = new Map<string, (() => void)[]>()
  let busy = 0
  let queued = 0

  const hasPlace = (owner: string): boolean => busy < total && (taken.get(owner) ?? 0) < each

  function enter(owner: string): Disposable {
    busy++
    taken.set(owner, (taken.get(owner) ?? 0) + 1)
    let isLeft = false
    return {
      [Symbol.dispose]() {
        if (isLeft) return
        isLeft = true
        busy--
        const left = (taken.get(owner) ?? 1) - 1
        if (left > 0) taken.set(owner, left)
        else taken.delete(owner)
        next()
      },
    }
  }

  function next(): void {
    for (const [owner, queue] of queues) {
      if (busy >= total) return
      if (!hasPlace(owner)) continue
      const grant = queue.shift()
      queues.delete(owner)
      if (queue.length > 0) queues.set(owner, queue)
      grant?.()
    }
  }

  function refuseMore(owner: string): void {
    const own = queues.get(owner)?.length ?? 0
    if (own >= waiting)
      throw new Problem('too_many_requests', `${own} requests wait for such work already.`, {
        retryAfterSeconds: AGAIN_SECONDS,
      })
    if (queued >= waitingInAll)
      throw new Problem('full', 'Too many requests wait for such work already.', { retryAfterSeconds: AGAIN_SECONDS })
  }

  return {
    async take(owner, signal) {
      signal.throwIfAborted()
      if (hasPlace(owner) && !queues.has(owner)) return enter(owner)
      refuseMore(owner)
      const { promise, resolve, reject } = Promise.withResolvers<Disposable>()
      const queue = queues.get(owner) ?? []
      const grant = (): void => {
        queued--
        signal.removeEventListener('abort', leave)
        resolve(enter(owner))
      }
      const leave = (): void => {
        const at = queue.indexOf(grant)
        if (at < 0) return
        queue.splice(at, 1)
        queued--
        if (queue.length === 0 && queues.get(owner) === queue) queues.delete(owner)
        reject(signal.reason)
      }
      queues.set(owner, queue)
      queue.push(grant)
      queued++
      signal.addEventListener('abort', leave, { once: true })
      return promise
    },
  }
}
