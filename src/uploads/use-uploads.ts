// Hands finished uploads over to the task that names them, in the transaction that accepts it.
import type { Trx } from '#db/database.ts'
import { takeResumables } from '#db/tasks/resumable-rows.ts'
import { unusable } from './resumable-uploads.ts'

/** The uploads that a request names, each by the field that names it. */
export interface UsedUploads {
  tokenId: string
  fields: ReadonlyMap<string, string>
}

/** A task that is refused leaves them as they were. Of two tasks that name the same one, the second is refused. */
export async function useUploads(trx: Trx, uploads: UsedUploads | undefined): Promise<void> {
  if (!uploads || uploads.fields.size === 0) return
  const [missing] = await takeResumables(trx, uploads.tokenId, [...uploads.fields.keys()])
  if (missing !== undefined) throw unusable(uploads.fields.get(missing) ?? '')
}
