// Describes an uploaded file from its first bytes. Its size and duration stay null until the worker probes it.
import type { StoredFile } from '#db/tables.ts'
import { sniffHead } from '#engine/files.ts'
import type { Kept } from '#storage/blobs.ts'

export const inputFile = async ({ blob, bytes, sha256, head }: Kept): Promise<StoredFile> => ({
  ...(await sniffHead(head)),
  blob,
  bytes,
  sha256,
  width: null,
  height: null,
  duration: null,
  frames: null,
})
