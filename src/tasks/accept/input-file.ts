// An uploaded file as a task's input: what its first bytes tell. The rest is found out by the worker, which may take its time.
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
