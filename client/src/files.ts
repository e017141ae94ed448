// Files that go in, whatever they are given as, and files that come out.
import type { CallOptions, Connection } from './connection.ts'
import { ConnectionError, KeepsakeError, TimeoutError } from './errors.ts'
import { backoffMs, limit, pause } from './waiting.ts'

/** What a file can be given as everywhere; the entry for Node also takes paths and streams. */
export type FileInput = Blob | ArrayBuffer | Uint8Array<ArrayBuffer>

/** A file that can be read more than once, until it is closed. */
export interface Opened {
  blob: Blob
  close(): Promise<void>
}

export type OpenFile<F> = (file: F) => Opened | Promise<Opened>

export function openInput(file: FileInput): Opened {
  const close = async (): Promise<void> => {}
  if (file instanceof Blob) return { blob: file, close }
  if (file instanceof ArrayBuffer || ArrayBuffer.isView(file)) return { blob: new Blob([file]), close }
  throw new KeepsakeError('bad_options', 'file: must be a Blob, a File, an ArrayBuffer or a Uint8Array')
}

export const nameOf = (file: Blob): string => ('name' in file && typeof file.name === 'string' ? file.name : 'file')

export interface DownloadOptions extends CallOptions {
  /** Called after each piece; `total` is null where the service did not say. */
  onProgress?: ((done: number, total: number | null) => void) | undefined
}

/** A file of the service. Nothing of it is fetched before it is asked for. */
export class Download {
  readonly path: string
  readonly #connection: Connection
  readonly #options: DownloadOptions

  constructor(connection: Connection, path: string, options: DownloadOptions = {}) {
    this.#connection = connection
    this.path = path
    this.#options = options
  }

  /** The bytes as they come. When the connection breaks, they go on where they stopped. */
  async *chunks(): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
    for await (const { piece } of this.#pieces()) if (piece) yield piece
  }

  stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    const stop = new AbortController()
    const { signal } = this.#options
    const pass = (): void => stop.abort(signal?.reason)
    if (signal?.aborted) pass()
    signal?.addEventListener('abort', pass, { once: true })
    const chunks = new Download(this.#connection, this.path, { ...this.#options, signal: stop.signal }).chunks()
    return new ReadableStream({
      async pull(controller) {
        const { done, value } = await chunks.next()
        if (!done) return controller.enqueue(value)
        signal?.removeEventListener('abort', pass)
        controller.close()
      },
      cancel() {
        // A read may be under way, for which a mere `return` would wait.
        stop.abort()
        signal?.removeEventListener('abort', pass)
      },
    })
  }

  /** The whole file, with its type. */
  async blob(): Promise<Blob> {
    const pieces: Uint8Array<ArrayBuffer>[] = []
    let type = ''
    for await (const { piece, response } of this.#pieces()) {
      type ||= response.headers.get('content-type') ?? ''
      if (piece) pieces.push(piece)
    }
    return new Blob(pieces, { type })
  }

  async *#pieces(): AsyncGenerator<{ response: Response; piece: Uint8Array<ArrayBuffer> | null }> {
    const { signal, onProgress, ...options } = this.#options
    const retries = options.retries ?? this.#connection.retries
    let [at, failures] = [0, 0]
    let seen: { etag: string | null; total: number | null } | null = null
    for (;;) {
      const silence = limit(options.timeoutMs ?? this.#connection.timeoutMs, signal)
      try {
        const headers = { range: at > 0 ? `bytes=${at}-` : undefined }
        const response = await this.#connection.open('GET', this.path, { ...options, signal: silence.signal, headers })
        const now = { etag: response.headers.get('etag'), total: lengthOf(response, at) }
        if (seen && at > 0 && (seen.etag === null || seen.etag !== now.etag || response.status !== 206))
          throw changed(this.path)
        seen ??= now
        if (at === 0) yield { response, piece: null }
        for await (const piece of piecesOf(response, silence.restart)) {
          at += piece.length
          failures = 0
          // The time that the caller takes is none of the service's.
          silence.stop()
          yield { response, piece }
          onProgress?.(at, seen.total)
          silence.restart()
        }
        if (seen.total === null || at >= seen.total) return
        throw new ConnectionError('connection_failed', `${this.path} ended after ${at} of ${seen.total} bytes.`)
      } catch (error) {
        signal?.throwIfAborted()
        const told = silence.isOver()
          ? new TimeoutError('timeout', `${this.path} fell silent.`, { cause: error })
          : whole(error, this.path)
        const isCut = told instanceof ConnectionError || told instanceof TimeoutError
        if (!isCut || failures >= retries) throw told
      } finally {
        silence.end()
      }
      await pause(backoffMs(failures++), signal)
    }
  }
}

const changed = (path: string): KeepsakeError =>
  new KeepsakeError('changed_meanwhile', `${path} became another file while it was downloaded. Begin anew.`)

const whole = (error: unknown, path: string): unknown =>
  error instanceof KeepsakeError
    ? error
    : new ConnectionError('connection_failed', `The download of ${path} broke off.`, { cause: error })

/** How large the whole file is. What was compressed on the way tells nothing. */
function lengthOf({ headers }: Response, from: number): number | null {
  const length = headers.get('content-length')
  return length === null || headers.has('content-encoding') ? null : from + Number(length)
}

async function* piecesOf(response: Response, sign: () => void): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = response.body?.getReader()
  if (!reader) return
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      sign()
      yield value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
