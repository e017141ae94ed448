// Repeats a query while the database is away, so that finished work is not lost.
import { setTimeout as sleep } from 'node:timers/promises'
import { isConnectionError } from './away.ts'

const LONGEST_MS = 2_000

/** Runs `query` again for as long as the database cannot be reached. The query must be safe to run twice. */
export async function retryWhileAway<T>(query: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let waitMs = 50; ; waitMs = Math.min(waitMs * 2, LONGEST_MS)) {
    try {
      return await query()
    } catch (error) {
      if (!isConnectionError(error) || signal?.aborted) throw error
      await sleep(waitMs)
    }
  }
}
