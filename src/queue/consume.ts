// Takes work out of a lane as long as there is room, and takes the next the moment some ends: no poll in between.
import type { Log } from '#kit/log.ts'
import { type LaneRules, newShares } from './shares.ts'

/** Work that was taken and is the taker's now. */
interface Taken {
  /** The experience or receiver whose turn it is. */
  share: string
  turn: number
  /** `leave` makes room for the next although the work goes on. */
  work(leave: () => void): Promise<void>
}

interface Consumption {
  /** For the log. */
  lane: string
  rules: LaneRules
  log: Log
  /** Takes up to so much work of shares that are not full. */
  take(count: number, fullShares: readonly string[]): Promise<Taken[]>
  /** Told of the turns that are served. */
  serve(turn: number): void
}

export interface Consumer {
  /** Something was put into the lane. */
  wake(): void
  /** Keeps room for work of a share that need not wait in the lane; null when there is none, or when others may wait there. */
  reserve(share: string): ((work: () => Promise<void>) => void) | null
  running(): number
  /** Takes no more; resolves when what was taken has ended. */
  stop(): Promise<void>
}

/** A job put in for later makes no noise, so this often we look by ourselves. */
const LOOK_MS = 1_000

export function consume({ lane, rules, log, take, serve }: Consumption): Consumer {
  const shares = newShares(rules)
  const ended = new Set<Promise<void>>()
  let stopped = false
  let looking: Promise<void> | null = null
  let lookAgain = false
  /** Jobs may be in the lane that the last look could not take. */
  let more = false

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
        const room = shares.room()
        if (room <= 0) more = true
        if (stopped || room <= 0) break
        const full = shares.full()
        // The count is part of pg-boss's statement, and each statement is prepared: powers of two make few of them.
        const wanted = 2 ** Math.floor(Math.log2(room))
        const taken = await take(wanted, full)
        for (const { share, turn, work } of taken) {
          serve(turn)
          occupy(share, work)
        }
        // Fewer than wanted were all there are; what came meanwhile has made itself heard.
        if (taken.length === wanted) lookAgain = true
        more = full.length > 0
      } while (lookAgain)
    } catch (error) {
      log.warn({ err: error, lane }, 'the queue could not be read')
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
    if (stopped || looking || more || shares.room() <= 0 || shares.isFull(share)) return null
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
      // What it has already taken is begun.
      await looking
      await Promise.all(ended)
    },
  }
}
