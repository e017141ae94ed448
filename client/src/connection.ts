// Sends requests: credentials, time limits, and further attempts where a request may be sent again.
import { ConnectionError, KeepsakeError, ProblemError, problemOf, readText, TimeoutError } from './errors.ts'
import { backoffMs, limit, pause } from './waiting.ts'

export interface KeepsakeOptions {
  /** Where the service is, like `https://keepsake.example.com`. */
  url: string
  /** A token, or a function that answers the current one. */
  token: string | (() => string | Promise<string>)
  /** How long the service may take for one answer; a minute unless told. Files get more, by their size. */
  timeoutMs?: number
  /** Further attempts after one that failed; 4 unless told. */
  retries?: number
  /** In place of the platform's own `fetch`. */
  fetch?: typeof fetch
}

/** What every call may be given. */
export interface CallOptions {
  signal?: AbortSignal | undefined
  timeoutMs?: number | undefined
  retries?: number | undefined
}

type QueryValue = string | number | boolean | null | undefined

export interface Request extends CallOptions {
  query?: Record<string, QueryValue> | undefined
  /** Sent as JSON. */
  json?: unknown
  /** Made anew for each attempt. */
  body?: () => NonNullable<RequestInit['body']>
  /** How large the body is, as far as it is known. */
  bodyBytes?: number
  headers?: Record<string, string | undefined>
  /** Whether it does no harm to send it twice; of all methods but POST this is taken for granted. */
  repeatable?: boolean
}

const TIMEOUT_MS = 60_000
const RETRIES = 4
const MOST_RETRIES = 20
/** A body that moves slower than this is given up. */
const SLOWEST_BYTES_PER_MS = 32
/** When a service asks for more patience than this, the caller shall decide. */
const LONGEST_RETRY_AFTER_SECONDS = 60
const LONGEST_TEXT_BYTES = 256 * 1024 ** 2

/** Names of errors that mean that nothing was sent. */
const NEVER_SENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']

const etags = new WeakMap<object, string>()

/** The version of a thing that this client read, for `ifMatch`; undefined where the service sent none. */
export const etagOf = (thing: object): string | undefined => etags.get(thing)

export class Connection {
  readonly base: string
  readonly retries: number
  readonly timeoutMs: number
  readonly #token: KeepsakeOptions['token']
  readonly #fetch: typeof fetch

  constructor({ url, token, timeoutMs = TIMEOUT_MS, retries = RETRIES, fetch: own }: KeepsakeOptions) {
    const parsed = URL.canParse(url) ? new URL(url) : null
    if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username !== '' || parsed.search || parsed.hash)
      throw new KeepsakeError('bad_options', 'url: must be like https://keepsake.example.com')
    if (typeof token !== 'function' && (typeof token !== 'string' || token === ''))
      throw new KeepsakeError('bad_options', 'token: must be a token, or a function that answers one')
    this.base = parsed.href.replace(/\/$/, '')
    this.retries = checked('retries', retries, 0, MOST_RETRIES)
    this.timeoutMs = checked('timeoutMs', timeoutMs, 1, 2 ** 31 - 1)
    this.#token = token
    // Called without `this`, which browsers insist on.
    this.#fetch = own ?? ((input, init) => fetch(input, init))
  }

  /** The answer as JSON. */
  async json<T>(method: string, path: string, request: Request = {}): Promise<T> {
    return await this.#attempts(method, path, request, async response => {
      if (response.status === 204) return undefined as T
      const value = (await readJson(method, path, response)) as T
      const etag = response.headers.get('etag')
      if (etag !== null && typeof value === 'object' && value !== null) etags.set(value, etag)
      return value
    })
  }

  /** The answer as a file, within the time limit. */
  async bytes(method: string, path: string, request: Request = {}): Promise<Blob> {
    return await this.#attempts(method, path, request, response => response.blob())
  }

  /** For calls whose answer has no body that matters. */
  async headers(method: string, path: string, request: Request = {}): Promise<{ status: number; headers: Headers }> {
    return await this.#attempts(method, path, request, async response => {
      await response.body?.cancel()
      return { status: response.status, headers: response.headers }
    })
  }

  /** The answer as it begins. Whoever reads the body has to watch the time, and gives `signal` to end it. */
  async open(method: string, path: string, request: Request = {}): Promise<Response> {
    return await this.#attempts(method, path, request, async response => response, true)
  }

  async #attempts<T>(
    method: string,
    path: string,
    request: Request,
    read: (response: Response) => Promise<T>,
    keepsBody = false,
  ): Promise<T> {
    const { signal } = request
    const retries = checked('retries', request.retries ?? this.retries, 0, MOST_RETRIES)
    const repeatable = request.repeatable ?? method !== 'POST'
    let wasSent = false
    for (let attempt = 0; ; attempt++) {
      signal?.throwIfAborted()
      try {
        return await this.#attempt(method, path, request, read, keepsBody)
      } catch (error) {
        signal?.throwIfAborted()
        // The attempt before got through, and only its answer was lost.
        if (method === 'DELETE' && wasSent && error instanceof ProblemError && error.status === 404)
          return undefined as T
        if (attempt >= retries || !mayTryAgain(error, repeatable)) throw error
        wasSent ||= !(error instanceof ProblemError)
        await pause(pauseAfter(error, attempt), signal)
      }
    }
  }

  async #attempt<T>(
    method: string,
    path: string,
    request: Request,
    read: (response: Response) => Promise<T>,
    keepsBody: boolean,
  ): Promise<T> {
    const timeoutMs = checked('timeoutMs', request.timeoutMs ?? this.timeoutMs, 1, 2 ** 31 - 1)
    const time = limit(timeoutMs + (request.bodyBytes ?? 0) / SLOWEST_BYTES_PER_MS, request.signal)
    try {
      const response = await this.#fetch(this.url(path, request.query), {
        ...(await this.#init(method, request)),
        signal: time.signal,
      })
      if (!response.ok) throw await problemOf(method, path, response)
      return await read(response)
    } catch (error) {
      if (error instanceof KeepsakeError) throw error
      if (time.isOver()) throw new TimeoutError('timeout', `${method} ${path} took more than ${timeoutMs} ms.`)
      request.signal?.throwIfAborted()
      const reason = isUnreached(error)
        ? `the server at ${this.base} can’t be reached (${reasonOf(error)})`
        : reasonOf(error)
      throw new ConnectionError('connection_failed', `${method} ${path} failed: ${reason}.`, { cause: error })
    } finally {
      // The body of an open answer is still ended by the caller's signal.
      if (keepsBody) time.stop()
      else time.end()
    }
  }

  async #init(method: string, { json, body, headers = {} }: Request): Promise<RequestInit> {
    const token = typeof this.#token === 'function' ? await this.#token() : this.#token
    const sent = new Headers({ authorization: `Bearer ${token}` })
    for (const [name, value] of Object.entries(headers)) if (value !== undefined) sent.set(name, value)
    if (json !== undefined) sent.set('content-type', 'application/json')
    return {
      method,
      headers: sent,
      // A redirect would send the token elsewhere, or lose the body.
      redirect: 'error',
      credentials: 'omit',
      cache: 'no-store',
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      ...(body === undefined ? {} : { body: body() }),
    }
  }

  url(path: string, query: Request['query'] = {}): string {
    const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
    const text = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString()
    return `${this.base}${path}${text === '' ? '' : `?${text}`}`
  }
}

function checked(name: string, value: number, least: number, most: number): number {
  if (!(value >= least && value <= most))
    throw new KeepsakeError('bad_options', `${name}: must be a number from ${least} to ${most}`)
  return value
}

async function readJson(method: string, path: string, response: Response): Promise<unknown> {
  const text = await readText(response, LONGEST_TEXT_BYTES)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new KeepsakeError('unexpected_answer', `${method} ${path} did not answer JSON.`, { cause: error })
  }
}

/** A request that can't be repeated is sent again only where it surely was not carried out. */
function mayTryAgain(error: unknown, repeatable: boolean): boolean {
  if (error instanceof ProblemError) {
    if ((error.retryAfterSeconds ?? 0) > LONGEST_RETRY_AFTER_SECONDS) return false
    if (error.status === 429) return true
    return repeatable && ([408, 502, 503, 504].includes(error.status) || error.code === 'idempotency_in_progress')
  }
  if (error instanceof ConnectionError) return repeatable || NEVER_SENT.includes(nameOf(error.cause))
  return error instanceof TimeoutError && repeatable
}

function pauseAfter(error: unknown, attempt: number): number {
  const asked = error instanceof ProblemError ? error.retryAfterSeconds : null
  return asked === null ? backoffMs(attempt) : asked * 1000 * (1 + Math.random() / 10)
}

/** Node hides the reason in `cause`. */
function nameOf(error: unknown): string {
  const { code, cause } = Object(error) as { code?: unknown; cause?: unknown }
  return typeof code === 'string' ? code : cause === undefined ? '' : nameOf(cause)
}

/** Ports that no request may go to have no name, only words. */
const isUnreached = (error: unknown): boolean => NEVER_SENT.includes(nameOf(error)) || causeOf(error) === 'bad port'

/** The words of the innermost cause that has any. */
function causeOf(error: unknown): string {
  const { message, cause } = Object(error) as { message?: unknown; cause?: unknown }
  const own = typeof message === 'string' ? message : ''
  return cause === undefined ? own : causeOf(cause) || own
}

function reasonOf(error: unknown): string {
  const name = nameOf(error)
  const message = causeOf(error) || String(error)
  return name === '' || message.includes(name) ? message : `${message} (${name})`
}

/** A name as a part of a path. */
export const inPath = (name: string): string => encodeURIComponent(name)

/** The header of a write that must not meet a change of others: an ETag, or what was read. */
export function ifMatch(seen: string | object | undefined): Record<string, string | undefined> {
  if (seen === undefined) return {}
  const etag = typeof seen === 'string' ? seen : etagOf(seen)
  if (etag === undefined)
    throw new KeepsakeError('bad_options', 'ifMatch: must be an ETag, or a thing that this client has read with one')
  return { 'if-match': etag }
}
