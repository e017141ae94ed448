// Takes jobs of a lane while there is room: when one is announced, when one ends, and once a second for those that became due.
import { isConnectionError } from '#db/away.ts'
import type { Log } from '#kit/log.ts'
import { type LaneRules, newShares } from './shares.ts'

/** Work that was taken and now belongs to the taker. */
interface Taken {
  /** The experience or receiver whose turn it is. */
  share: string
  turn: number
  /** `leave` makes room for the next although this work goes on. */
  work(leave: () => void): Promise<void>
}

interface Consumption {
  /** For the log. */
  lane: string
  rules: LaneRules
  log: Log
  /** Takes up to `count` jobs from shares that are not full. `jobs`: how many it found, whatever became of them. */
  take(count: number, fullShares: readonly string[]): Promise<{ jobs: number; taken: Taken[] }>
  /** Called with each turn that is served. */
  serve(turn: number): void
}

export interface Consumer {
  /** Call this when something was put into the lane. */
  wake(): void
  /** Keeps room for work that need not wait in the lane. Null when there is no room, or when other work may wait in the lane. */
  reserve(share: string): ((work: () => Promise<void>) => void) | null
  running(): number
  /** Takes no more; resolves when all taken work has ended. */
  stop(): Promise<void>
}

/** Nothing announces a job that becomes due later, so we also look this often. */
const LOOK_MS = 1_000

export function consume({ lane, rules, log, take, serve }: Consumption): Consumer {
  const shares = newShares(rules)
  const ended = new Set<Promise<void>>()
  let stopped = false
  let looking: Promise<void> | null = null
  let lookAgain = false
  /** True when the lane may hold jobs that the last look could not take. */
  let more = false
  let away = false

  function look(): void {
    lookAgain = true
    looking ??= lookNow().finally(() => {
      looking = null
    })
  }

  async function lookNow(): Promise<void> {
    try {
      do {
        lookAgain = false
        const room = shares.freeSlots()
        if (room <= 0) more = true
        if (stopped || room <= 0) break
        const full = shares.full()
        // The count is part of pg-boss's statement, and each statement is prepared: powers of two make few of them.
        const wanted = 2 ** Math.floor(Math.log2(room))
        const { jobs, taken } = await take(wanted, full)
        away = false
        for (const { share, turn, work } of taken) {
          serve(turn)
          occupy(share, work)
        }
        // Fewer than wanted means that there were no more. Jobs that came meanwhile have announced themselves.
        if (jobs === wanted) lookAgain = true
        more = full.length > 0
      } while (lookAgain)
    } catch (error) {
      // A look follows each second: an outage is told once.
      const before = away
      away = isConnectionError(error)
      if (!before || !away) log.warn({ err: error, lane }, 'the queue could not be read')
    }
  }

  function occupy(share: string, work: Taken['work']): void {
    const lookForMore = (): void => {
      if (more) look()
    }
    const giveUp = shares.take(share, lookForMore)
    let left = false
    const leave = (): void => {
      if (left) return
      left = true
      giveUp()
      lookForMore()
    }
    const end = work(leave)
      .catch(error => log.error({ err: error, lane }, 'work failed unexpectedly'))
      .then(() => {
        ended.delete(end)
        leave()
      })
    ended.add(end)
  }

  function reserve(share: string): ((work: () => Promise<void>) => void) | null {
    if (stopped || looking || more || shares.freeSlots() <= 0 || shares.isFull(share)) return null
    const { promise, resolve } = Promise.withResolvers<() => Promise<void>>()
    occupy(share, () => promise.then(work => work()))
    return resolve
  }

  const timer = setInterval(look, LOOK_MS)
  look()
  return {
    wake: look,
    reserve,
    running: () => ended.size,
    async stop() {
      stopped = true
      clearInterval(timer)
      // Work that the look has already taken still begins.
      await looking
      await Promise.all(ended)
    },
  }
}
