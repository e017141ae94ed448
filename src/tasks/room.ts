// Refuses new tasks while too many wait. The count may be a second old: a limit of this size needs no exactness.
import type { Db } from '#db/database.ts'
import { countWaiting } from '#db/tasks.ts'
import { Problem } from '#kit/errors.ts'
import type { TaskServices } from './services.ts'

const FRESH_MS = 1_000

const counts = new WeakMap<Db, { at: number; waiting: Promise<number> }>()

export async function refuseWhenFull({ db, settings }: TaskServices): Promise<void> {
  let count = counts.get(db)
  if (!count || Date.now() - count.at > FRESH_MS) {
    count = { at: Date.now(), waiting: countWaiting(db) }
    counts.set(db, count)
  }
  const waiting = await count.waiting
  if (waiting < settings.maxWaiting) return
  throw new Problem(
    'full',
    `${waiting} tasks are waiting already; at most ${settings.maxWaiting} may (KEEPSAKE_MAX_WAITING). Try again later.`,
    { retryAfterSeconds: 10 },
  )
}
