// Refuses new tasks while too many wait: in all, and of one token.
import { overLimit, type TaskOwner } from '#access/limits.ts'
import type { Db, Trx } from '#db/database.ts'
import { countWaitingOf, lockAndCountWaiting } from '#db/nouns/token-rows.ts'
import { countWaiting } from '#db/tasks/task-rows.ts'
import { Problem } from '#kit/errors.ts'
import type { TaskServices } from '../task-services.ts'

const FRESH_MS = 1_000

const counts = new WeakMap<Db, { at: number; waiting: Promise<number> }>()

/** The count may be a second old: a limit of this size needs no exactness. */
export async function refuseWhenFull({ db, settings }: TaskServices): Promise<void> {
  let count = counts.get(db)
  if (!count || Date.now() - count.at > FRESH_MS) {
    const next = { at: Date.now(), waiting: countWaiting(db, settings.maxWaiting) }
    counts.set(db, next)
    // A count that failed is nobody's answer but of those who waited for it.
    next.waiting.catch(() => counts.get(db) === next && counts.delete(db))
    count = next
  }
  const waiting = await count.waiting
  if (waiting < settings.maxWaiting) return
  throw new Problem(
    'full',
    `${waiting} tasks are waiting already; at most ${settings.maxWaiting} may (KEEPSAKE_MAX_WAITING). Try again later.`,
    { retryAfterSeconds: 10 },
  )
}

const WAIT_SECONDS = 5

/** In the transaction that puts a task into the queue: exact, however many requests come at once. */
export async function takePlace(trx: Trx, { tokenId, waitingTasks: most }: TaskOwner): Promise<void> {
  if (tokenId === null || most === undefined) return
  if ((await lockAndCountWaiting(trx, tokenId, most)) >= most) throw overLimit('waiting_tasks', most, WAIT_SECONDS)
}

/** Before a file is received, so that nobody uploads what cannot be taken. */
export async function refuseWithoutPlace(db: Db, { tokenId, waitingTasks: most }: TaskOwner): Promise<void> {
  if (tokenId === null || most === undefined) return
  if ((await countWaitingOf(db, tokenId, most)) >= most) throw overLimit('waiting_tasks', most, WAIT_SECONDS)
}
