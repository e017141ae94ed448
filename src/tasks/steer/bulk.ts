// Works through many tasks or callbacks in the background of the API: a few at a time, bounded for each token.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '#db/database.ts'
import { retryWhileAway } from '#db/retry-while-away.ts'
import { countWaiting } from '#db/tasks/task-rows.ts'
import { isProblem, Problem } from '#kit/errors.ts'
import type { Log } from '#kit/log.ts'
import type { Settings } from '#kit/settings.ts'

/** The most things that one request works on. */
export const MOST = 100_000

interface Work<Item> {
  /** For the log: "retry of tasks". */
  what: string
  /** Whose it is. */
  owner: string
  items: readonly Item[]
  /** Throws a problem for an item that does not allow it any more; it is skipped. */
  each(item: Item): Promise<unknown>
  /** Each item adds a waiting task: room is left for those that come in meanwhile. */
  fills?: boolean
}

export interface Bulk {
  /** Throws when too much is under way already, in all or of this token. */
  refuseMore(owner: string): void
  /** Begins the work, and returns how many items are done when all are, or after a moment. The rest goes on in the background. */
  run<Item>(work: Work<Item>): Promise<number>
  /** Ends after the items that are in hand. What is left can be asked for again. */
  stop(): Promise<void>
}

const AT_ONCE = 4
/** Pieces of work that are under way in all, and of one token. */
const TOTAL = 8
const EACH = 2
/** How long a request waits for its work. */
const PATIENCE_MS = 3_000
const PAUSE_MS = 1_000
/** Work that makes no progress for so long is given up. */
const STUCK_MS = 15 * 60_000
const AGAIN_SECONDS = 10

export function newBulk({ db, settings, log }: { db: Db; settings: Settings; log: Log }): Bulk {
  const stopped = new AbortController()
  const under = new Map<Promise<void>, string>()
  const pause = (): Promise<void> => sleep(PAUSE_MS, undefined, { signal: stopped.signal }).catch(() => {})
  const hasCapacity = newCapacityCheck(db, settings.maxWaiting)

  function refuseMore(owner: string): void {
    const own = [...under.values()].filter(each => each === owner).length
    if (own >= EACH)
      throw new Problem('too_many_requests', `${own} such requests of your token are under way already.`, {
        retryAfterSeconds: AGAIN_SECONDS,
      })
    if (under.size >= TOTAL)
      throw new Problem('full', 'Too many such requests are under way already.', { retryAfterSeconds: AGAIN_SECONDS })
  }

  async function workThrough<Item>(
    { what, items, each, fills = false }: Work<Item>,
    progress: { done: number },
  ): Promise<void> {
    const left = items.values()
    let taken = 0
    let progressAt = Date.now()
    const isOver = (): boolean => stopped.signal.aborted || Date.now() - progressAt > STUCK_MS

    /** False: it can't be done now, only later. */
    async function one(item: Item): Promise<boolean> {
      try {
        if (fills && !(await hasCapacity())) return false
        await retryWhileAway(() => each(item), stopped.signal)
        progress.done++
      } catch (error) {
        if (isProblem(error, 'token_limit', 'full')) return false
        if (!(error instanceof Problem)) log.error({ err: error }, `an item of a ${what} failed`)
      }
      return true
    }

    async function lane(): Promise<void> {
      for (const item of left) {
        taken++
        while (!isOver()) {
          if (await one(item)) {
            progressAt = Date.now()
            break
          }
          await pause()
        }
        if (isOver()) return
      }
    }

    await Promise.all(Array.from({ length: AT_ONCE }, lane))
    const { done } = progress
    if (taken < items.length || isOver()) log.warn({ done, count: items.length }, `a ${what} was cut off`)
    else log.info({ done, count: items.length }, `a ${what} is done`)
  }

  return {
    refuseMore,
    async run(work) {
      refuseMore(work.owner)
      const progress = { done: 0 }
      const working = workThrough(work, progress).finally(() => under.delete(working))
      under.set(working, work.owner)
      const waited = new AbortController()
      await Promise.race([working, sleep(PATIENCE_MS, undefined, { signal: waited.signal }).catch(() => {})])
      waited.abort()
      return progress.done
    },
    async stop() {
      stopped.abort()
      await Promise.allSettled(under.keys())
    },
  }
}

/** Whether fewer tasks wait than half of what may. Counted once a second at most. */
function newCapacityCheck(db: Db, maxWaiting: number): () => Promise<boolean> {
  const most = Math.ceil(maxWaiting / 2)
  let known: { at: number; isThere: Promise<boolean> } | null = null
  return () => {
    if (!known || Date.now() - known.at > PAUSE_MS)
      known = { at: Date.now(), isThere: retryWhileAway(() => countWaiting(db, most)).then(count => count < most) }
    return known.isThere
  }
}
