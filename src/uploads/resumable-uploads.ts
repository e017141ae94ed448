// Resumable uploads: begun, received in several requests by any process, completed, and taken over by a task or deleted.
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '#db/database.ts'
import {
  askForResumable,
  declareLength,
  deleteResumables,
  expireResumable,
  findResumable,
  insertResumable,
  isAskedFor,
  noteReceived,
  noteWhole,
  type ResumableRow,
} from '#db/tasks/resumable-rows.ts'
import type { UploadLock, UploadLocks } from '#db/upload-locks.ts'
import { badField, isProblem, Problem } from '#kit/errors.ts'
import { isId } from '#kit/ids.ts'
import type { Settings } from '#kit/settings.ts'
import { HEAD_BYTES } from '#storage/blob.ts'
import type { Blobs, StoredWithHead } from '#storage/blobs.ts'
import type { Growth } from '#storage/growing-blobs.ts'

export type { ResumableRow } from '#db/tasks/resumable-rows.ts'

export interface ResumableServices {
  db: Db
  blobs: Blobs
  uploadLocks: UploadLocks
  settings: Pick<Settings, 'maxOpenUploads'>
}

/** How long a request waits that takes an upload from one whose client has fallen silent. */
const PATIENCE_MS = 2_500
/** How long one waits that only gives way to those that look for a moment. */
const MOMENT_MS = 300
const LOOK_MS = 50
/** A token with all its uploads open may get room at any time. */
const FULL_SECONDS = 60

export async function beginUpload(
  { db, settings: { maxOpenUploads: most } }: ResumableServices,
  tokenId: string,
  wanted: Pick<ResumableRow, 'upload_id' | 'length' | 'metadata'>,
): Promise<ResumableRow> {
  const row = await insertResumable(db, { ...wanted, token_id: tokenId }, most)
  if (row) return row
  throw new Problem(
    'token_limit',
    `Your token has ${most} uploads that no task has taken yet; more may not be open at once (KEEPSAKE_MAX_OPEN_UPLOADS). Delete some or use them.`,
    { retryAfterSeconds: FULL_SECONDS },
  )
}

/** Another token's upload is like one that does not exist. */
export async function readUpload({ db }: Pick<ResumableServices, 'db'>, tokenId: string, id: string) {
  const row = isId(id) ? await findResumable(db, id) : undefined
  if (row?.token_id !== tokenId) throw unknown(id)
  if (row.expired) throw new Problem('gone', 'The upload has expired. Begin a new one.')
  return row
}

const unknown = (id: string): Problem =>
  new Problem('not_found', `There is no upload "${id.slice(0, 100).toWellFormed()}" of your token.`)

interface Waiting {
  /** Ask a request whose client has fallen silent to let go, and wait for that. */
  asks: boolean
  /** Called when the lock is lost. */
  lost?(): void
}

/** Null if another request goes on holding it. */
export async function lockUpload(
  { db, uploadLocks }: ResumableServices,
  id: string,
  { asks, lost = () => {} }: Waiting,
): Promise<UploadLock | null> {
  const end = performance.now() + (asks ? PATIENCE_MS : MOMENT_MS)
  for (let hasAsked = !asks; ; hasAsked = true) {
    const lock = await uploadLocks.take(id, lost)
    if (lock || performance.now() > end) return lock
    if (!hasAsked) await askForResumable(db, id)
    await sleep(LOOK_MS)
  }
}

/** Whether another client, or the same one over another connection, waits for the upload. */
export const isWanted = ({ db }: ResumableServices, id: string): Promise<boolean> => isAskedFor(db, id)

export async function declareUploadLength({ db }: ResumableServices, id: string, length: number): Promise<void> {
  if (!(await declareLength(db, id, length)))
    throw new Problem('wrong_state', 'The length of this upload is known already, or more bytes than that are there.')
}

/**
 * Writes what the source gives behind the bytes there are, and completes the upload with its last byte. The caller holds the lock; `lost` is
 * aborted when it does no longer. Returns the bytes there are.
 */
export async function appendToUpload(
  services: ResumableServices,
  upload: ResumableRow,
  source: AsyncIterable<Uint8Array>,
  lost?: AbortSignal,
): Promise<number> {
  const { db, blobs } = services
  const { upload_id: id, received, place } = upload
  if (upload.sha256 !== null) return received
  let now: Growth = { bytes: received, place }
  const note = async (next: Growth): Promise<void> => {
    if (!(await noteReceived(db, id, now.bytes, next.bytes, next.place))) throw overtaken()
    now = next
  }
  await blobs.growing.append(id, now, source, note, lost)
  if (now.bytes === upload.length) await completeUpload(services, id, now)
  return now.bytes
}

const overtaken = (): Problem =>
  new Problem('upload_busy', 'Another request went on with this upload. Ask with HEAD where it is.', {
    retryAfterSeconds: 1,
  })

/** Done again if a process died in between: the answer that the last byte has arrived may have been sent before. */
async function completeUpload({ db, blobs }: ResumableServices, id: string, growth: Growth): Promise<void> {
  await blobs.growing.complete(id, growth)
  // Of what lies there, whoever wrote it.
  const hash = createHash('sha256')
  for await (const chunk of await blobs.read(id)) hash.update(chunk)
  await noteWhole(db, id, hash.digest('hex'))
}

/** The caller holds the lock. What cannot be deleted now is left to the sweeper. */
export async function deleteUpload({ db, blobs }: ResumableServices, id: string): Promise<void> {
  const row = await expireResumable(db, id)
  if (!row) return
  await blobs.growing.discard(id, { bytes: row.received, place: row.place })
  await deleteResumables(db, [id])
}

/** An upload that is whole, for a task. */
export interface UploadedFile extends StoredWithHead {
  /** As the client sent it: only for display, never trusted. */
  fileName: string | null
}

/** `field` names it in the request. */
export function readWholeUpload(
  services: ResumableServices,
  tokenId: string,
  id: string,
  field: string,
): Promise<UploadedFile> {
  return readWhole(services, tokenId, id, field).catch(error => {
    // The store has lost it, which is no answer to a request that names it.
    throw isProblem(error, 'gone') ? unusable(field) : error
  })
}

async function readWhole(
  services: ResumableServices,
  tokenId: string,
  id: string,
  field: string,
): Promise<UploadedFile> {
  const { db, blobs } = services
  if (!isId(id)) throw badField(field, 'must be the id of an upload: the last part of its Location')
  let row = await findResumable(db, id)
  if (row?.token_id !== tokenId || row.expired) throw unusable(field)
  if (row.sha256 === null) row = await completed(services, row, field)
  if (row.sha256 === null) throw unusable(field)
  const { upload_id: blob, received: bytes, sha256, metadata } = row
  const head = bytes === 0 ? Buffer.alloc(0) : await readHead(blobs, blob, bytes)
  return { blob, bytes, sha256, head, fileName: metadata.filename ?? metadata.name ?? null }
}

/** All of its bytes are there, but the process that received the last one died before it was done. */
async function completed(services: ResumableServices, row: ResumableRow, field: string): Promise<ResumableRow> {
  if (row.received !== row.length) throw unfinished(row, field)
  const id = row.upload_id
  const lock = await lockUpload(services, id, { asks: false })
  if (!lock)
    throw new Problem('unavailable', `${field}: the upload is just being completed. Try again shortly.`, {
      retryAfterSeconds: 2,
    })
  try {
    const now = await findResumable(services.db, id)
    if (!now || now.expired) throw unusable(field)
    if (now.sha256 === null) await completeUpload(services, id, { bytes: now.received, place: now.place })
  } finally {
    await lock.release()
  }
  return (await findResumable(services.db, id)) ?? row
}

async function readHead(blobs: Blobs, blob: string, bytes: number): Promise<Buffer> {
  const range = { start: 0, end: Math.min(bytes, HEAD_BYTES) - 1 }
  return Buffer.concat(await (await blobs.read(blob, range)).toArray())
}

/** The same whether it never was, is another token's, has expired or was taken by another task. */
export const unusable = (field: string): Problem =>
  badField(field, 'names no upload of your token that is still there: it was used already, has expired or never was')

function unfinished({ received, length }: ResumableRow, field: string): Problem {
  const there =
    length === null ? `${received} bytes, and its length is not known yet` : `${received} of ${length} bytes`
  return badField(field, `the upload is not finished: it has ${there}. Send the rest first`)
}
