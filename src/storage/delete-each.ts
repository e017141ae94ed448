// Deletes many blobs, one that cannot be deleted keeping none of the others.
import type { Blobs } from './blobs.ts'

export interface Deleted {
  gone: string[]
  /** To be tried again later. */
  left: string[]
  /** Why the last of them is left. */
  reason: string | null
}

/** After so many the store is taken to be away, and is not asked for the rest. */
const MOST_FAILURES = 10

export async function deleteEach(blobs: Pick<Blobs, 'delete'>, ids: readonly string[]): Promise<Deleted> {
  const deleted: Deleted = { gone: [], left: [], reason: null }
  for (const blob of ids) {
    if (deleted.left.length >= MOST_FAILURES) {
      deleted.left.push(blob)
      continue
    }
    try {
      await blobs.delete(blob)
      deleted.gone.push(blob)
    } catch (error) {
      deleted.left.push(blob)
      deleted.reason = (error as Error).message
    }
  }
  return deleted
}
