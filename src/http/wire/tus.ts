// Serves one request of the tus protocol with @tus/server, on our uploads: whose they are, what they cost, and who is at one.
import { ReadableStream } from 'node:stream/web'
import { DataStore, ERRORS, Server, Upload } from '@tus/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Access } from '#access/scopes.ts'
import { Problem } from '#kit/errors.ts'
import { newId } from '#kit/ids.ts'
import {
  appendToUpload,
  beginUpload,
  declareUploadLength,
  deleteUpload,
  isWanted,
  lockUpload,
  type ResumableRow,
  readUpload,
} from '#uploads/resumable-uploads.ts'
import type { Context } from '../route/route.ts'
import { letTheRestGo, PIECE_TYPE } from './client-deadlines.ts'
import { type PieceBody, pieceBody } from './piece-body.ts'
import type { TusMethod } from './tus-headers.ts'

export const UPLOADS = '/api/upload'
export const EXTENSIONS = ['creation', 'creation-with-upload', 'creation-defer-length', 'expiration', 'termination']

type TusContext = Pick<Context, 'db' | 'blobs' | 'uploadLocks' | 'settings' | 'limiter' | 'waits'>

/** Between two looks for a client that fell silent. */
const LOOK_MS = 1_000
/** The headers that the library reads, and those of its answers that go out. */
const READ = [
  'upload-length',
  'upload-defer-length',
  'upload-metadata',
  'upload-offset',
  'content-type',
  'content-length',
]
const SENT = /^(location|tus-|upload-)/

/** What one request does with the uploads of its token. */
class Store extends DataStore {
  override extensions = EXTENSIONS
  /** The upload as it was read or made last. */
  row: ResumableRow | null = null
  writing: Promise<unknown> = Promise.resolve()
  /** Aborted when the lock is lost. */
  readonly lost = new AbortController()
  readonly #context: TusContext
  readonly #access: Access

  constructor(context: TusContext, access: Access) {
    super()
    this.#context = context
    this.#access = access
  }

  override async create(upload: Upload): Promise<Upload> {
    const { id: upload_id, size: length = null, metadata = {} } = upload
    this.row = await beginUpload(this.#context, this.#access.tokenId, { upload_id, length, metadata })
    // Nothing comes for an empty file, so it is complete at once.
    if (length === 0) await this.write(nothing(), upload_id)
    return upload
  }

  override async getUpload(id: string): Promise<Upload> {
    this.row = await readUpload(this.#context, this.#access.tokenId, id)
    const { upload_id, received: offset, length, metadata } = this.row
    return new Upload({
      id: upload_id,
      offset,
      ...(length === null ? {} : { size: length }),
      ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
    })
  }

  override async write(stream: AsyncIterable<Buffer>, id: string): Promise<number> {
    const row = this.row ?? (await readUpload(this.#context, this.#access.tokenId, id))
    const writing = appendToUpload(this.#context, row, stream, this.lost.signal)
    this.writing = writing.catch(() => {})
    return writing
  }

  override async declareUploadLength(id: string, length: number): Promise<void> {
    await declareUploadLength(this.#context, id, length)
    if (this.row) this.row = { ...this.row, length }
  }

  override remove = (id: string): Promise<void> => deleteUpload(this.#context, id)
}

async function* nothing(): AsyncGenerator<Buffer> {}

/** `id`: as `readUpload` spells it; null for a new upload. */
export async function serveTus(
  context: TusContext,
  request: FastifyRequest,
  reply: FastifyReply,
  method: TusMethod,
  id: string | null,
): Promise<FastifyReply> {
  const { access, raw } = request
  const { maxUploadBytes } = context.settings
  const store = new Store(context, access)
  const hasBody = (method === 'POST' || method === 'PATCH') && request.headers['content-type'] === PIECE_TYPE
  const body = hasBody ? pieceBody(raw) : null
  /** What went wrong, before the library put it into its own words. */
  let failure: unknown
  let sourceFailure: unknown
  async function* counted(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    try {
      yield* context.limiter.countBytes(access, chunks)
    } catch (error) {
      sourceFailure = error
      throw error
    }
  }
  const newLock = locks(context, store, method, body)
  const server = new Server({
    path: UPLOADS,
    datastore: store,
    relativeLocation: true,
    generateUrl: (_request, made) => `${UPLOADS}/${made.id}/`,
    namingFunction: () => newId(),
    maxSize: maxUploadBytes,
    locker: { newLock },
    onResponseError(_request, error) {
      failure = error
      return undefined
    },
  })
  try {
    const answer = await server.handleWeb(asWebRequest(request, method, id, body && counted(body.chunks)))
    if (failure !== undefined || answer.status >= 400) throw inOurWords(failure, sourceFailure, store, maxUploadBytes)
    reply.code(answer.status)
    for (const [name, value] of answer.headers) if (SENT.test(name)) reply.header(name, value)
    if (store.row && method !== 'DELETE') reply.header('upload-expires', store.row.expires_at.toUTCString())
    return await reply.send()
  } catch (error) {
    // Nobody was told where this upload is, so nobody can go on with it. The sweeper takes what cannot be deleted now.
    if (method === 'POST' && store.row)
      await deleteUpload(context, store.row.upload_id).catch(left =>
        request.log.warn({ err: left }, 'an upload was left'),
      )
    throw error
  } finally {
    body?.stop(new Error('the request is answered'))
    letTheRestGo(request)
  }
}

/** The library waits for a lock before it touches an upload, and gives it back when it is done. */
function locks({ ...context }: TusContext, store: Store, method: TusMethod, body: PieceBody | null) {
  return (id: string) => {
    let release = async (): Promise<void> => {}
    const busy = new Problem('upload_busy', 'Another request went on with this upload.')
    const cut = (): void => body?.stop(busy)
    const lost = (): void => {
      store.lost.abort(busy)
      cut()
    }
    return {
      async lock(): Promise<void> {
        // Nobody else knows the id of a new upload.
        if (method === 'POST') return
        const lock = await lockUpload(context, id, { asks: method !== 'PATCH', lost })
        // Whoever only asks gets what is noted so far, while bytes are still coming in.
        if (!lock && method === 'HEAD') return
        if (!lock)
          throw new Problem('upload_busy', 'Another request holds this upload. Try again shortly.', {
            retryAfterSeconds: 1,
          })
        const watch = setInterval(() => {
          if (body && body.silentMs() > context.waits.uploadMs)
            void isWanted(context, id).then(
              wanted => wanted && cut(),
              () => {},
            )
        }, LOOK_MS)
        release = async () => {
          clearInterval(watch)
          await store.writing
          await lock.release()
        }
      },
      unlock: (): Promise<void> => release(),
    }
  }
}

function asWebRequest(
  { headers }: FastifyRequest,
  method: TusMethod,
  id: string | null,
  body: AsyncIterable<Buffer> | null,
): Request {
  const passed = new Headers({ 'tus-resumable': '1.0.0' })
  for (const name of READ) {
    const value = [headers[name]].flat()[0]
    if (value !== undefined && (name !== 'content-type' || value === PIECE_TYPE)) passed.set(name, value)
  }
  const init: RequestInit = { method, headers: passed }
  // Read on demand: a stream made from the request itself would read far ahead.
  const streamed = body && { body: ReadableStream.from(body), duplex: 'half' as const }
  return new Request(`http://keepsake${UPLOADS}/${id ?? ''}`, { ...init, ...streamed } as RequestInit)
}

/** The errors of the library are objects of its own. */
function inOurWords(failure: unknown, sourceFailure: unknown, { row }: Store, maxUploadBytes: number): unknown {
  const there = row?.received ?? 0
  const { status_code: status } = (failure ?? {}) as { status_code?: number }
  if (failure === ERRORS.ABORTED)
    return sourceFailure ?? new Problem('bad_request', 'The request ended before its body was complete.')
  if (failure === ERRORS.INVALID_OFFSET)
    return new Problem('wrong_state', `Upload-Offset must be ${there}: as many bytes of the upload are there.`)
  if (failure === ERRORS.ERR_SIZE_EXCEEDED && row?.length != null)
    return new Problem(
      'too_large',
      `The upload has ${row.length} bytes in all, of which ${there} are there; this is more than the rest.`,
    )
  if (status === 413)
    return new Problem('too_large', `A file may have ${maxUploadBytes} bytes at most (KEEPSAKE_MAX_UPLOAD_BYTES).`)
  if (failure === ERRORS.INVALID_LENGTH)
    return new Problem(
      'bad_request',
      `Upload-Length: is known already, or less than the ${there} bytes that are there.`,
    )
  if (failure === ERRORS.FILE_NOT_FOUND) return new Problem('not_found', 'There is no such upload of your token.')
  return failure ?? new Problem('bad_request', 'The request does not keep to tus 1.0.0.')
}
