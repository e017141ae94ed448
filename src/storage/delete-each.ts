// Deletes many blobs. A blob that cannot be deleted does not stop the others.
import type { Blobs } from './blobs.ts'

export interface Deleted {
  gone: string[]
  /** Blobs to try again later. */
  left: string[]
  /** Why the last failed deletion failed. */
  reason: string | null
}

/** After this many failures the store counts as away, and the rest is not tried. */
const MOST_FAILURES = 10

/** Once `signal` is aborted, the rest is left too. */
export async function deleteEach(
  blobs: Pick<Blobs, 'delete'>,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<Deleted> {
  const deleted: Deleted = { gone: [], left: [], reason: null }
  for (const blob of ids) {
    if (deleted.left.length >= MOST_FAILURES) {
      deleted.left.push(blob)
      continue
    }
    try {
      signal?.throwIfAborted()
      await blobs.delete(blob, signal)
      deleted.gone.push(blob)
    } catch (error) {
      deleted.left.push(blob)
      deleted.reason = (error as Error).message
    }
  }
  return deleted
}
