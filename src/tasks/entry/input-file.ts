// Describes a received file from its first bytes. The worker finds out the rest, because that may take long.
import type { StoredFile } from '#db/tables.ts'
import { sniffHead } from '#engine/files.ts'
import type { StoredWithHead } from '#storage/blobs.ts'

export const inputFile = async ({ blob, bytes, sha256, head }: StoredWithHead): Promise<StoredFile> => ({
  ...(await sniffHead(head)),
  blob,
  bytes,
  sha256,
  width: null,
  height: null,
  duration: null,
  frames: null,
})
