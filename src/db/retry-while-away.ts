// Repeats a query while the database is away, so that finished work is not lost.
import { setTimeout as sleep } from 'node:timers/promises'
import { isConnectionError } from './away.ts'

const LONGEST_MS = 2_000

/** Kysely says so when the process has closed the database, or has given it up. */
const isClosed = (error: unknown): boolean =>
  error instanceof Error && error.message === 'driver has already been destroyed'

/** Runs `query` again for as long as the database cannot be reached. The query must be safe to run twice. */
export async function retryWhileAway<T>(query: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let waitMs = 50; ; waitMs = Math.min(waitMs * 2, LONGEST_MS)) {
    try {
      return await query()
    } catch (error) {
      if (!isConnectionError(error) || isClosed(error) || signal?.aborted) throw error
      await sleep(waitMs)
    }
  }
}
