// The one way out: HTTP requests, downloads and sockets to other machines, guarded against reaching private ones.
import { isIP, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { Client, type Dispatcher } from 'undici'
import { badField, isProblem, Problem } from '../errors.ts'
import type { Log } from '../log.ts'
import { allowList, isLocalName, isPublic, plainHost } from './addresses.ts'
import { mapErrors, type OutboundResponse, response } from './answer.ts'
import { chunksOf, lengthOf, type Pieces } from './body-parts.ts'
import { blocked, dial, type Names, reason, refusedAddress, Unreachable } from './dial.ts'
import { keptConnections } from './kept-connections.ts'
import { newResolver, type Resolver } from './name-server.ts'

export type { OutboundResponse } from './answer.ts'
export type { FileRange, Pieces } from './body-parts.ts'
export { Unreachable } from './dial.ts'

export interface OutboundRequest {
  /** GET unless told. */
  method?: string
  headers?: Record<string, string>
  /** Files are sent as pieces, in constant memory. A stream without a `content-length` header is sent in chunks. */
  body?: string | Uint8Array | Readable | Pieces
  signal?: AbortSignal
  /** For the whole of it, from the look-up of the name to the end of the answer. No limit unless told. */
  timeoutMs?: number
  /** Silence allowed while the body is sent and the answer awaited; 60 s unless told. */
  headersTimeoutMs?: number
  /** Silence allowed inside the answer; 30 s unless told. */
  bodyTimeoutMs?: number
  /** Bytes of the answer; 16 MiB unless told. */
  maxBytes?: number
  /** SHA-256 fingerprints of certificates that are trusted although no authority vouches for them. */
  trusts?: readonly string[]
}

/** What may arrive twice, and can be sent twice. All of them have the same limits, as they share their connections. */
type RepeatableRequest = Pick<OutboundRequest, 'method' | 'headers' | 'signal' | 'timeoutMs'> & { body: string }

export interface Outbound {
  /** One guarded request over a connection of its own; never follows redirects. A failed one tells by `Unreachable.sent` whether anything can have arrived. */
  request(url: string, options?: OutboundRequest): Promise<OutboundResponse>
  /**
   * The same over a connection that an earlier one of these left open, if there is any. Should that turn out to be dead before an
   * answer came, the request is sent once more over a new one.
   */
  repeatable(url: string, request: RepeatableRequest): Promise<OutboundResponse>
  /** Checks without connecting that the URL's form and literal address are allowed; throws `blocked_url`. */
  check(url: string): void
  /** A guarded TCP socket for protocols other than HTTP. */
  connect(host: string, port: number, options?: { signal?: AbortSignal; timeoutMs?: number }): Promise<Socket>
  /** Follows up to five redirects, each checked. The stream fails with `too_large` behind `maxBytes`. */
  download(url: string, options: { maxBytes: number; signal: AbortSignal }): Promise<Readable>
  /** Ends what is under way. */
  close(): Promise<void>
}

interface OutboundOptions {
  /** Hosts, IPs and CIDRs that may be private or plain HTTP. */
  allowHosts: readonly string[]
  connectTimeoutMs?: number
  resolve?: Resolver
  /** Gets why a name was refused. The caller does not. */
  log?: Log
}

const maxRedirects = 5
/** Looked at before anything else: a name of many parts takes long to be read. */
const MOST_URL = 16_384
/** An idle connection is closed after this time, because address translators and balancers on the way drop idle ones. */
const IDLE_MS = 4_000
/** The server had enough of an idle connection while we began to use it; nothing was received. */
const REQUEST_TIMEOUT = 408

export function newOutbound({
  allowHosts,
  connectTimeoutMs = 10_000,
  resolve = newResolver(),
  log,
}: OutboundOptions): Outbound {
  const allow = allowList(allowHosts)
  const names: Names = { allow, resolve, log: log ?? null }
  const closing = new AbortController()
  const kept = keptConnections()
  const orClosed = (signal?: AbortSignal) => (signal ? AbortSignal.any([signal, closing.signal]) : closing.signal)

  function checked(text: string): URL {
    if (text.length > MOST_URL) throw blocked(`A URL may have ${MOST_URL} characters at most.`)
    if (!URL.canParse(text)) throw blocked('That is not a valid URL.')
    const url = new URL(text)
    const host = plainHost(url.hostname)
    if (url.protocol !== 'https:' && url.protocol !== 'http:')
      throw blocked(`Only https:// URLs are accepted, not ${url.protocol}//.`)
    if (url.username !== '' || url.password !== '') throw blocked('A URL may not hold a user name or a password.')
    if (allow.host(host)) return url
    if (url.protocol === 'http:')
      throw blocked(`Only HTTPS is accepted; http://${url.host} is not. KEEPSAKE_ALLOW_HOSTS lists exceptions.`)
    if (isLocalName(host) || (isIP(host) && !isPublic(host))) throw refusedAddress(host)
    return url
  }

  async function request(text: string, options: OutboundRequest = {}, reuse = false): Promise<OutboundResponse> {
    const { method = 'GET', body = null, timeoutMs, trusts } = options
    const given = orClosed(options.signal)
    const timeout = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)
    const signal = timeout ? AbortSignal.any([given, timeout]) : given
    let host = 'the host'
    let client: Client | undefined
    try {
      const url = checked(text)
      host = plainHost(url.hostname)
      const ask = (socket: Socket | null) => {
        const path = `${url.pathname}${url.search}`
        const sent = bodyOn(socket, options)
        return client!.request({ path, method: method as Dispatcher.HttpMethod, signal, reset: !reuse, ...sent })
      }
      client = reuse ? kept.take(url.origin) : undefined
      let answer = client && (await ask(null).then(unlessTimedOut, unlessDead))
      if (!answer) {
        void client?.destroy()
        client = undefined
        const tls = url.protocol === 'https:'
        const port = Number(url.port) || (tls ? 443 : 80)
        const socket = await dial({ host, port, tls, timeoutMs: connectTimeoutMs, signal, trusts }, names)
        client = clientOn(socket, url.origin, options)
        answer = await ask(socket)
      }
      const keep = reuse ? (client: Client) => kept.keep(url.origin, client) : null
      return response({ answer, client: client!, host, idleMs: options.bodyTimeoutMs ?? 30_000, stopped: given, keep })
    } catch (error) {
      if (body instanceof Readable) body.destroy()
      void client?.destroy()
      given.throwIfAborted()
      if (timeout?.aborted)
        throw new Unreachable(
          `${host} gave no answer within ${(timeoutMs ?? 0) / 1000} s.`,
          client !== undefined,
          error,
        )
      if (error instanceof Problem || isOurMistake(error)) throw error
      throw new Unreachable(`The request to ${host} failed: ${reason(error)}.`, true, error)
    }
  }

  async function download(
    text: string,
    { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
  ): Promise<Readable> {
    let url = text
    for (let hop = 0; hop <= maxRedirects; hop++) {
      const answer = await request(url, { signal, maxBytes }).catch(error => {
        throw downloadProblem(error, maxBytes)
      })
      if (answer.status >= 200 && answer.status < 300) {
        return mapErrors(answer.body, error => downloadProblem(error, maxBytes))
      }
      answer.discard()
      const { location } = answer.headers
      const from = new URL(url).hostname
      if (![301, 302, 303, 307, 308].includes(answer.status) || location === undefined) {
        throw new Problem('download_failed', `${from} answered the download with ${answer.status}.`)
      }
      if (!URL.canParse(location, url))
        throw new Problem('download_failed', `${from} redirects to something that is no URL.`)
      url = new URL(location, url).href
    }
    throw new Problem('download_failed', `The download is redirected more than ${maxRedirects} times.`)
  }

  return {
    request: (url, options) => request(url, options),
    repeatable: (url, options) => request(url, options, true),
    download,
    check: url => void checked(url),
    async connect(host, port, { signal, timeoutMs = connectTimeoutMs } = {}) {
      const socket = await dial({ host, port, tls: false, timeoutMs, signal: orClosed(signal) }, names)
      // Nobody may be listening yet when it is reset; whoever uses it hears of its close.
      return socket.on('error', () => {})
    },
    async close() {
      closing.abort(new Problem('unavailable', 'The service is stopping.'))
      kept.close()
    },
  }
}

/** As `check`; the problem names the field of the request that the URL came in. */
export function checkUrlField(outbound: Pick<Outbound, 'check'>, field: string, url: string): void {
  try {
    outbound.check(url)
  } catch (error) {
    if (!isProblem(error)) throw error
    throw badField(field, error.message, error.code)
  }
}

/** One client for each socket: a request over a reused socket must fail when that is gone, so undici may not open another by itself. */
function clientOn(socket: Socket, origin: string, options: OutboundRequest): Client {
  let used = false
  return new Client(origin, {
    connect(_options, done) {
      const again = used
      used = true
      // undici 7 ignores a connector that answers before it returns.
      queueMicrotask(() =>
        again ? done(new Unreachable('The connection was closed.', true), null) : done(null, socket),
      )
    },
    keepAliveMaxTimeout: IDLE_MS,
    headersTimeout: options.headersTimeoutMs ?? 60_000,
    bodyTimeout: options.bodyTimeoutMs ?? 30_000,
    maxResponseSize: options.maxBytes ?? 16 * 1024 ** 2,
  })
}

/** undici sends async iterables, but its types don't say so. */
function bodyOn(socket: Socket | null, { headers = {}, body }: OutboundRequest) {
  if (!isPieces(body) || !socket) return { headers, body: (body as Exclude<typeof body, Pieces>) ?? null }
  const length = lengthOf(body)
  const bytes = length === 0 ? null : (chunksOf(body, socket) as unknown as Readable)
  return { headers: { ...headers, 'content-length': String(length) }, body: bytes }
}

const dead = new Set(['UND_ERR_SOCKET', 'UND_ERR_DESTROYED', 'UND_ERR_CLOSED', 'ECONNRESET', 'EPIPE'])

/** A connection that was left open may have been closed from the other side in this very moment. */
function unlessDead(error: unknown): undefined {
  if (!(error instanceof Unreachable) && !dead.has((error as { code?: string }).code ?? '')) throw error
}

function unlessTimedOut(answer: Dispatcher.ResponseData): Dispatcher.ResponseData | undefined {
  if (answer.statusCode !== REQUEST_TIMEOUT) return answer
  // It ends with its connection.
  answer.body.on('error', () => {})
}

const isPieces = (body: unknown): body is Pieces => Array.isArray(body)

/** A header or length that can't be sent is no failure of the network. */
const isOurMistake = (error: unknown): boolean =>
  ['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED', 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH'].includes(
    (error as { code?: string }).code ?? '',
  )

function downloadProblem(error: unknown, maxBytes: number): unknown {
  if (!isProblem(error, 'destination_unreachable')) return error
  const { code } = (error.cause ?? {}) as { code?: string }
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE')
    return new Problem('too_large', `The file to download is larger than ${maxBytes} bytes.`)
  return new Problem('download_failed', error.message, { cause: error })
}
