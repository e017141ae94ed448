// Locks on resumable uploads, over all processes: session locks on one connection of the process, so they end with it.
import type pg from 'pg'
import { Problem } from '#kit/errors.ts'
import type { Log } from '#kit/log.ts'
import { keepSession } from './kept-session.ts'
import { type Pace, usualPace } from './pace.ts'

export interface UploadLock {
  release(): Promise<void>
}

export interface UploadLocks {
  /** Null if another request holds it. `lost` is called when the lock is lost together with its connection. */
  take(uploadId: string, lost: () => void): Promise<UploadLock | null>
  close(): Promise<void>
}

type Session = Awaited<ReturnType<typeof keepSession>>

// The same name as `lockKey` gives (`tasks/resumable-rows.ts`).
const KEY = `hashtextextended('upload ' || $1::text, 0)`

/** The connection is made when the first lock is taken. */
export function newUploadLocks(url: string, log: Log, pace: Pace = usualPace): UploadLocks {
  /** PostgreSQL would give a session its own lock twice, so those of this process are known here. */
  const held = new Map<string, () => void>()
  let opening: Promise<Session> | null = null
  /** One statement after the other, as the connection wants them. */
  let turn: Promise<unknown> = Promise.resolve()
  function inTurn<T>(statement: () => Promise<T>): Promise<T> {
    const mine = turn.then(statement)
    turn = mine.catch(() => {})
    return mine
  }

  function open(): Promise<Session> {
    opening ??= keepSession(url, log, {
      name: 'uploads',
      pace,
      begin: client => client.query('select 1'),
      beat: client => inTurn(() => client.query('select 1')),
      missing() {
        const lost = [...held.values()]
        held.clear()
        for (const each of lost) each()
      },
    })
    opening.catch(() => {
      opening = null
    })
    return opening
  }

  async function takeLock(uploadId: string): Promise<pg.Client | null> {
    const session = await open().catch(error => refuse(error))
    const client = session.client()
    if (!client) throw away()
    const lock = () => client.query<{ mine: boolean }>(`select pg_try_advisory_lock(${KEY}) as mine`, [uploadId])
    const { rows } = await inTurn(lock).catch(error => refuse(error))
    return rows[0]?.mine ? client : null
  }

  return {
    async take(uploadId, lost) {
      if (held.has(uploadId)) return null
      held.set(uploadId, lost)
      let client: pg.Client | null = null
      try {
        client = await takeLock(uploadId)
        // The connection broke while the answer was on its way.
        if (client && held.get(uploadId) !== lost) throw away()
      } finally {
        if (!client && held.get(uploadId) === lost) held.delete(uploadId)
      }
      if (!client) return null
      const holder = client
      return {
        async release() {
          if (held.get(uploadId) !== lost) return
          // Ended with its connection if it cannot be reached.
          await inTurn(() => holder.query(`select pg_advisory_unlock(${KEY})`, [uploadId])).catch(() => {})
          held.delete(uploadId)
        },
      }
    },
    async close() {
      const session = await opening?.catch(() => null)
      await session?.close()
    },
  }
}

const away = (cause?: unknown): Problem =>
  new Problem('unavailable', 'The database cannot be reached now. Try again shortly.', { cause, retryAfterSeconds: 2 })

function refuse(error: unknown): never {
  throw away(error)
}
