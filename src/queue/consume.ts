// Takes jobs of a lane as long as there is room, and takes the next the moment one ends: no poll in between.
import type { Log } from '#kit/log.ts'
import type { Lane } from './lanes.ts'
import type { Job, Queue } from './queue.ts'
import { type LaneRules, newShares } from './shares.ts'

export interface Consumer {
  /** Something was put into the lane. */
  wake(): void
  /** Keeps room for work of a share that need not wait in the lane; null when there is none, or when others may wait there. */
  reserve(share: string): ((work: () => Promise<void>) => void) | null
  running(): number
  /** Takes no more jobs; resolves when the running ones have ended. */
  stop(): Promise<void>
}

/** A job put in for later makes no noise, so this often we look by ourselves. */
const LOOK_MS = 1_000

export function consume<L extends Lane>(
  queue: Queue,
  lane: L,
  rules: LaneRules,
  log: Log,
  serve: (turn: number) => void,
  handle: (job: Job<L>) => Promise<void>,
): Consumer {
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
        const jobs = await queue.fetch(lane, wanted, full)
        for (const job of jobs) {
          serve(job.turn)
          occupy(
            job.share,
            handle(job).catch(error => log.error({ err: error, lane, job: job.id }, 'a job failed unexpectedly')),
          )
        }
        // Fewer than wanted were all there are; what came meanwhile has made itself heard.
        if (jobs.length === wanted) lookAgain = true
        more = full.length > 0
      } while (lookAgain)
    } catch (error) {
      log.warn({ err: error, lane }, 'the queue could not be read')
    }
  }

  function occupy(share: string, work: Promise<void>): void {
    const lookForMore = (): void => {
      if (more) look()
    }
    const leave = shares.take(share, lookForMore)
    const end = work.then(() => {
      ended.delete(end)
      leave()
      lookForMore()
    })
    ended.add(end)
  }

  function reserve(share: string): ((work: () => Promise<void>) => void) | null {
    if (stopped || looking || more || shares.room() <= 0 || shares.isFull(share)) return null
    const { promise, resolve } = Promise.withResolvers<() => Promise<void>>()
    occupy(
      share,
      promise
        .then(work => work())
        .catch(error => log.error({ err: error, lane }, 'what went past the lane failed unexpectedly')),
    )
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
      // Jobs that it has already fetched are begun.
      await looking
      await Promise.all(ended)
    },
  }
}
