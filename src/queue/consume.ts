// Takes jobs of a lane as long as there is room, and takes the next the moment one ends: no poll in between.
import type { Log } from '#kit/log.ts'
import type { Lane } from './lanes.ts'
import type { Job, Queue } from './queue.ts'

export interface LaneRules {
  /** Jobs at once. */
  slots: number
  /** Jobs at once of one share. */
  perShare: number
}

export interface Consumer {
  /** Something was put into the lane. */
  wake(): void
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
  const shares = new Map<string, number>()
  const ended = new Set<Promise<void>>()
  let stopped = false
  let looking = false
  let lookAgain = false
  /** Jobs may be in the lane that the last look could not take. */
  let more = false

  const fullShares = (): string[] => [...shares].filter(([, count]) => count >= rules.perShare).map(([share]) => share)

  async function look(): Promise<void> {
    if (looking) {
      lookAgain = true
      return
    }
    looking = true
    try {
      do {
        lookAgain = false
        const room = rules.slots - ended.size
        if (room <= 0) more = true
        if (stopped || room <= 0) break
        // The count is part of pg-boss's statement, and each statement is prepared: powers of two make few of them.
        const wanted = 2 ** Math.floor(Math.log2(Math.min(room, rules.perShare)))
        const full = fullShares()
        const jobs = await queue.fetch(lane, wanted, full)
        for (const job of jobs) begin(job)
        // Fewer than wanted were all there are; what came meanwhile has made itself heard.
        if (jobs.length === wanted) lookAgain = true
        more = full.length > 0
      } while (lookAgain)
    } catch (error) {
      log.warn({ err: error, lane }, 'the queue could not be read')
    } finally {
      looking = false
    }
  }

  function begin(job: Job<L>): void {
    serve(job.turn)
    shares.set(job.share, (shares.get(job.share) ?? 0) + 1)
    const work = handle(job)
      .catch(error => log.error({ err: error, lane, job: job.id }, 'a job failed unexpectedly'))
      .then(() => {
        ended.delete(work)
        const count = (shares.get(job.share) ?? 1) - 1
        if (count === 0) shares.delete(job.share)
        else shares.set(job.share, count)
        if (more) void look()
      })
    ended.add(work)
  }

  const timer = setInterval(() => void look(), LOOK_MS)
  void look()
  return {
    wake: () => void look(),
    running: () => ended.size,
    async stop() {
      stopped = true
      clearInterval(timer)
      await Promise.all(ended)
    },
  }
}
