// Refuses new tasks while too many wait: in total, and per token.
import { overLimit, type TaskOwner } from '#access/limits.ts'
import type { Db, Trx } from '#db/database.ts'
import { countWaitingOf, lockAndCountWaiting } from '#db/nouns/token-rows.ts'
import { countWaiting } from '#db/tasks/task-rows.ts'
import { Problem } from '#kit/errors.ts'
import type { TaskServices } from '../task-services.ts'

const FRESH_MS = 1_000

const counts = new WeakMap<Db, { at: number; waiting: Promise<number> }>()

/** The count may be a second old: the limit need not be exact. */
export async function refuseWhenFull({ db, settings }: TaskServices): Promise<void> {
  let count = counts.get(db)
  if (!count || Date.now() - count.at > FRESH_MS) {
    const next = { at: Date.now(), waiting: countWaiting(db, settings.maxWaiting) }
    counts.set(db, next)
    // A failed count reaches only the requests that waited for it; the next request counts again.
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

/** Checks the limit of the token inside the transaction that queues the task: exact, however many requests come at once. */
export async function requireWaitingRoom(trx: Trx, { tokenId, waitingTasks: most }: TaskOwner): Promise<void> {
  if (tokenId === null || most === undefined) return
  if ((await lockAndCountWaiting(trx, tokenId, most)) >= most) throw overLimit('waiting_tasks', most, WAIT_SECONDS)
}

/** Checks the limit before a file is received, so nobody uploads a file that would be refused. */
export async function refuseOverWaitingLimit(db: Db, { tokenId, waitingTasks: most }: TaskOwner): Promise<void> {
  if (tokenId === null || most === undefined) return
  if ((await countWaitingOf(db, tokenId, most)) >= most) throw overLimit('waiting_tasks', most, WAIT_SECONDS)
}
