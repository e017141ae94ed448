// The parts of a request with files: small files inside of it, large ones sent ahead where the service takes that.
import type { CallOptions, Connection } from './connection.ts'
import { KeepsakeError } from './errors.ts'
import { nameOf, type Opened, type OpenFile } from './files.ts'
import { CHUNK_BYTES, type UploadOptions, type Uploads } from './uploads.ts'

/** The values that a task brings besides its file: look-ups of a guest, options, context. */
export type Extras = Record<string, unknown>

/** Where a file comes from: one of the three. */
export interface FileSource<F> {
  file?: F | undefined
  /** An HTTPS address that the service downloads. */
  url?: string | undefined
  /** The id of an upload that was made before. */
  upload?: string | undefined
}

export interface SendOptions extends UploadOptions {
  /** Files from this size on are sent ahead, in chunks; 8 MiB unless told, `Infinity` for never. */
  uploadFromBytes?: number | undefined
  /** Makes a request that is sent twice one request. Made anew for each call unless told. */
  idempotencyKey?: string | undefined
}

export interface Sender<F> {
  connection: Connection
  uploads: Uploads<F>
  open: OpenFile<F>
}

interface More {
  /** It makes a task: then it gets a key, and may be sent again. */
  creates?: boolean
  headers?: Record<string, string | undefined>
}

type Part = [name: string, value: string | Blob]

export class Parts<F> {
  readonly #sender: Sender<F>
  readonly #fields: Part[] = []
  readonly #files: (Opened & { name: string; mayGoAhead: boolean })[] = []

  constructor(sender: Sender<F>) {
    this.#sender = sender
  }

  get isEmpty(): boolean {
    return this.#fields.length + this.#files.length === 0
  }

  text(name: string, value: string | undefined): this {
    if (value !== undefined) this.#fields.push([name, value])
    return this
  }

  json(name: string, value: unknown): this {
    return this.text(name, value === undefined ? undefined : JSON.stringify(value))
  }

  all(parts: Record<string, string> = {}): this {
    for (const [name, value] of Object.entries(parts)) this.text(name, value)
    return this
  }

  async file(name: string, file: F, mayGoAhead = false): Promise<this> {
    try {
      this.#files.push({ ...(await this.#sender.open(file)), name, mayGoAhead })
      return this
    } catch (error) {
      await this.#close()
      throw error
    }
  }

  /** `name` is `data`, or a configuration's name with `_data`. */
  async source(name: string, { file, url, upload }: FileSource<F>): Promise<this> {
    if ([file, url, upload].filter(each => each !== undefined).length > 1)
      throw new KeepsakeError('bad_options', `${name}: give one of file, url and upload`)
    this.text(`${name}_url`, url).text(`${name}_upload`, upload)
    return file === undefined ? this : await this.file(name, file, true)
  }

  /** Sends large files ahead, then the request. */
  async send<T>(method: string, path: string, options: SendOptions, more: More = {}): Promise<T> {
    try {
      return await this.#send(method, path, options, more)
    } finally {
      await this.#close()
    }
  }

  async #close(): Promise<void> {
    for (const { close } of this.#files) await close()
  }

  async #send<T>(method: string, path: string, options: SendOptions, more: More): Promise<T> {
    const { uploadFromBytes = CHUNK_BYTES, resume, onProgress } = options
    const total = this.#files.reduce((sum, { blob }) => sum + blob.size, 0)
    const parts = [...this.#fields]
    let done = 0
    for (const { name, blob, mayGoAhead } of this.#files) {
      const goesAhead = mayGoAhead && (blob.size >= uploadFromBytes || resume !== undefined)
      const before = done
      const tell = (sent: number): void => onProgress?.(before + sent, total)
      const id = goesAhead ? await this.#sender.uploads.tryToSend(blob, { ...options, onProgress: tell }) : null
      parts.push(id === null ? [name, blob] : [`${name}_upload`, id])
      if (id !== null) done += blob.size
    }
    if (total > 0) onProgress?.(done, total)
    const { signal, timeoutMs, retries } = options
    // One key for all attempts of this call.
    const key = more.creates ? { 'idempotency-key': options.idempotencyKey ?? newKey() } : {}
    const answer = await this.#sender.connection.json<T>(method, path, {
      ...({ signal, timeoutMs, retries } satisfies CallOptions),
      headers: { ...more.headers, ...key },
      body: () => formOf(parts),
      bodyBytes: total - done,
      repeatable: more.creates === true || method === 'PUT',
    })
    if (total > done) onProgress?.(total, total)
    return answer
  }
}

function formOf(parts: readonly Part[]): FormData {
  const form = new FormData()
  for (const [name, value] of parts)
    if (typeof value === 'string') form.append(name, value)
    else form.append(name, value, nameOf(value))
  return form
}

/** `randomUUID` is missing where a page was loaded without TLS, as on a booth in its own network. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('')
