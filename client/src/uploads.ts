// Uploads that go on where they stopped, by the tus protocol 1.0, and the choice between them and a plain multipart request.
import { type CallOptions, type Connection, inPath } from './connection.ts'
import { ConnectionError, KeepsakeError, ProblemError, TimeoutError, UploadInterrupted } from './errors.ts'
import { nameOf, type OpenFile } from './files.ts'
import { backoffMs, pause } from './waiting.ts'

export interface UploadOptions extends CallOptions {
  /** How much is sent with one request; 8 MiB unless told. */
  chunkBytes?: number | undefined
  /** Called at the start, and after each chunk that the service has. */
  onProgress?: ((done: number, total: number) => void) | undefined
  /** The id, or the URL, of an upload that was interrupted: it goes on where it stopped. */
  resume?: string | undefined
  /** Called once the upload has its id. Save it, and a new process can go on. */
  onUploadId?: ((uploadId: string) => void) | undefined
}

export interface Upload {
  /** For `upload` of a task. */
  upload_id: string
  bytes: number
}

const PATH = '/api/upload/'
const TUS = { 'tus-resumable': '1.0.0' }
export const CHUNK_BYTES = 8 * 1024 ** 2

/** The service has no uploads of this kind. */
class NotServed extends KeepsakeError {}

export class Uploads<F> {
  readonly #connection: Connection
  readonly #open: OpenFile<F>
  /** What the service was found to have; undefined before the first try. */
  #isServed: boolean | undefined

  constructor(connection: Connection, open: OpenFile<F>) {
    this.#connection = connection
    this.#open = open
  }

  /** Sends a file ahead of its task. Within 24 hours a task can name it, once. */
  async create(file: F, options: UploadOptions = {}): Promise<Upload> {
    const { blob, close } = await this.#open(file)
    return await this.send(blob, options).finally(close)
  }

  /** Throws away what was uploaded. */
  async delete(uploadId: string, options: CallOptions = {}): Promise<void> {
    await this.#connection.headers('DELETE', pathOf(uploadId), { ...options, headers: TUS })
  }

  /** The id of the upload; null where the service takes files only inside of requests. */
  async tryToSend(file: Blob, options: UploadOptions): Promise<string | null> {
    if (this.#isServed === false) return null
    try {
      return (await this.send(file, options)).upload_id
    } catch (error) {
      if (error instanceof NotServed) return null
      throw error
    }
  }

  async send(file: Blob, options: UploadOptions = {}): Promise<Upload> {
    const { chunkBytes = CHUNK_BYTES, resume, onUploadId } = options
    if (!(chunkBytes >= 1 && chunkBytes <= 1024 ** 3))
      throw new KeepsakeError('bad_options', `chunkBytes: must be from 1 to ${1024 ** 3}`)
    let offset = resume === undefined ? null : await this.#findOffset(idOf(resume), file, options)
    let uploadId = resume === undefined ? '' : idOf(resume)
    if (offset === null) {
      uploadId = await this.#begin(file, options)
      offset = 0
    }
    onUploadId?.(uploadId)
    try {
      await this.#sendFrom(offset, uploadId, file, chunkBytes, options)
    } catch (error) {
      options.signal?.throwIfAborted()
      // What is expired or refused can't be gone on with; an upload that another request still holds can.
      const isRefused = error instanceof ProblemError && error.status < 500 && error.status !== 429
      if (isRefused && !mayGoOn(error)) throw error
      throw new UploadInterrupted(uploadId, error)
    }
    return { upload_id: uploadId, bytes: file.size }
  }

  async #begin(file: Blob, options: UploadOptions): Promise<string> {
    const metadata = { filename: nameOf(file), ...(file.type === '' ? {} : { filetype: file.type }) }
    try {
      const { headers } = await this.#connection.headers('POST', PATH, {
        ...callOptions(options),
        headers: { ...TUS, 'upload-length': String(file.size), 'upload-metadata': metadataOf(metadata) },
        // One that nobody knows of expires by itself.
        repeatable: true,
      })
      this.#isServed = true
      return idOf(headers.get('location') ?? '')
    } catch (error) {
      const isMissing = error instanceof ProblemError && [404, 405, 501].includes(error.status)
      if (!isMissing || this.#isServed) throw error
      this.#isServed = false
      throw new NotServed('uploads_not_served', 'This service takes files only inside of requests.', { cause: error })
    }
  }

  /** How much the service has; null when it does not know the upload any more. */
  async #findOffset(uploadId: string, file: Blob, options: UploadOptions): Promise<number | null> {
    try {
      const { headers } = await this.#connection.headers('HEAD', pathOf(uploadId), {
        ...callOptions(options),
        headers: TUS,
      })
      const length = headers.get('upload-length')
      if (length !== null && Number(length) !== file.size)
        throw new KeepsakeError('bad_options', `resume: that upload is of ${length} bytes, the file has ${file.size}`)
      return offsetOf(headers, file.size)
    } catch (error) {
      if (error instanceof ProblemError && [404, 410].includes(error.status)) return null
      throw error
    }
  }

  async #sendFrom(from: number, uploadId: string, file: Blob, chunkBytes: number, options: UploadOptions) {
    const { signal, onProgress } = options
    const retries = options.retries ?? this.#connection.retries
    let [offset, failures] = [from, 0]
    onProgress?.(offset, file.size)
    while (offset < file.size) {
      const before = offset
      try {
        offset = await this.#sendChunk(offset, uploadId, file, chunkBytes, options)
      } catch (error) {
        signal?.throwIfAborted()
        if (!mayGoOn(error) || failures >= retries) throw error
        await pause(pauseAfter(error, failures), signal)
        // What arrived of the chunk counts.
        const known = await this.#findOffset(uploadId, file, options)
        if (known === null) throw error
        offset = known
      }
      failures = offset > before ? 0 : failures + 1
      if (failures > retries) throw new ConnectionError('connection_failed', 'The service takes no more of the file.')
      if (offset !== before) onProgress?.(offset, file.size)
    }
  }

  async #sendChunk(offset: number, uploadId: string, file: Blob, chunkBytes: number, options: UploadOptions) {
    const chunk = file.slice(offset, Math.min(offset + chunkBytes, file.size))
    const { headers } = await this.#connection.headers('PATCH', pathOf(uploadId), {
      ...callOptions(options),
      // The offset is asked for before the next attempt.
      retries: 0,
      headers: {
        ...TUS,
        'upload-offset': String(offset),
        'content-type': 'application/offset+octet-stream',
      },
      body: () => chunk,
      bodyBytes: chunk.size,
    })
    return offsetOf(headers, file.size)
  }
}

const callOptions = ({ signal, timeoutMs, retries }: CallOptions): CallOptions => ({ signal, timeoutMs, retries })

const pathOf = (uploadId: string): string => `${PATH}${inPath(uploadId)}`

/** The id out of an address. Only the id is kept, so no answer and no saved address leads the token elsewhere. */
function idOf(place: string): string {
  const [path = ''] = place.split(/[?#]/)
  const id = path.split('/').findLast(part => part !== '') ?? ''
  if (!/^[\w~+=-][\w.~+=-]{0,255}$/.test(id))
    throw new KeepsakeError('unexpected_answer', 'That is no address of an upload.')
  return id
}

function offsetOf(headers: Headers, size: number): number {
  const text = headers.get('upload-offset') ?? ''
  const offset = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (!(offset <= size))
    throw new KeepsakeError('unexpected_answer', 'The service did not say how much of the upload it has.')
  return offset
}

/** 409: the offset is another one; 423: an attempt of before still holds the upload; 460: a chunk was damaged on its way. */
function mayGoOn(error: unknown): boolean {
  if (error instanceof ProblemError)
    return [408, 409, 423, 429, 460, 502, 503, 504].includes(error.status) && (error.retryAfterSeconds ?? 0) <= 60
  return error instanceof ConnectionError || error instanceof TimeoutError
}

const pauseAfter = (error: unknown, failures: number): number =>
  Math.max(backoffMs(failures), ((error instanceof ProblemError && error.retryAfterSeconds) || 0) * 1000)

/** Pairs of a key and its value in Base64. */
const metadataOf = (values: Record<string, string>): string =>
  Object.entries(values)
    .map(([key, value]) => `${key} ${base64(value)}`)
    .join(',')

const base64 = (text: string): string =>
  btoa(Array.from(new TextEncoder().encode(text), byte => String.fromCharCode(byte)).join(''))
