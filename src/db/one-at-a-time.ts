// Runs work that only one process of the whole deployment may do at a time.
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from './database.ts'
import { withLongTimeout } from './pace.ts'

const LOOK_MS = 100
const PATIENCE_MS = 120_000

/**
 * `key` names the work. The lock belongs to a transaction that stays open meanwhile, so it ends with its process, also behind a pooler.
 * A process that waits for the lock holds no connection: the work itself needs connections. The work runs `withLongTimeout`, because it may
 * start slow statements, such as the upkeep of the queue.
 */
export async function oneAtATime<T>(db: Db, key: number, work: () => Promise<T>): Promise<T> {
  const end = performance.now() + PATIENCE_MS
  for (;;) {
    const done = await ifNobodyElse(db, key, work)
    if (done) return done.value
    if (performance.now() > end) throw new Error('another process holds its start up for too long')
    await sleep(LOOK_MS)
  }
}

function ifNobodyElse<T>(db: Db, key: number, work: () => Promise<T>): Promise<{ value: T } | null> {
  return db.connection().execute(async connection => {
    await sql`begin`.execute(connection)
    try {
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(connection)
      const { rows } = await sql<{ mine: boolean }>`select pg_try_advisory_xact_lock(${key}) as mine`.execute(
        connection,
      )
      return rows[0]?.mine ? { value: await withLongTimeout(work) } : null
    } finally {
      await sql`commit`.execute(connection)
    }
  })
}

/** Like oneAtATime, but returns null at once if another process does the work. */
export const unlessAnother = async <T>(db: Db, key: number, work: () => Promise<T>): Promise<T | null> =>
  (await ifNobodyElse(db, key, work))?.value ?? null
