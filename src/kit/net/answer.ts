// The answer of another server: its head, and a body whose errors are Problems and whose size is bounded.
import { Readable } from 'node:stream'
import type { Client, Dispatcher } from 'undici'
import { reason, Unreachable } from './dial.ts'

export interface OutboundResponse {
  status: number
  /** Names in lower case; several of one name are joined by a comma. */
  headers: Record<string, string>
  /** Read it, or call `discard`: until then the connection stays open. Its errors are Problems. */
  body: Readable
  /** The first `limit` bytes as text (64 KiB unless told); the rest is dropped. */
  text(limit?: number): Promise<string>
  /** The parsed body; more than `limit` bytes (1 MiB unless told) or no JSON is a failure of the request. */
  json(limit?: number): Promise<unknown>
  /** Nobody wants the body. Resolves when its connection is closed, or free again. */
  discard(): Promise<void>
}

interface Source {
  answer: Dispatcher.ResponseData
  client: Client
  host: string
  /** How long a body that nobody reads is kept waiting. */
  idleMs: number
  /** Why it was stopped from our side, if it was. */
  stopped: AbortSignal
  /** Takes the connection over once the answer has come to its end; without it, and else, it is closed. */
  keep: ((client: Client) => void) | null
}

/** So much is read of an answer that nobody wants, to keep its connection, and for so long. */
const REST_BYTES = 64 * 1024
const REST_MS = 250

export function response({ answer, client, host, idleMs, stopped, keep }: Source): OutboundResponse {
  let body: Readable | undefined
  let isOver = false
  const forgotten = setTimeout(discard, idleMs).unref()
  const failed = (error: unknown) => {
    stopped.throwIfAborted()
    return new Unreachable(`The answer of ${host} broke off: ${reason(error)}.`, true, error)
  }
  function letGo(): void {
    clearTimeout(forgotten)
    if (isOver) return
    isOver = true
    if (keep && answer.body.readableEnded) keep(client)
    else {
      answer.body.on('error', () => {}).destroy()
      void client.destroy()
    }
  }
  function opened(): Readable {
    body ??= mapErrors(answer.body, failed, () => clearTimeout(forgotten)).once('close', letGo)
    return body
  }
  async function discard(): Promise<void> {
    // What reads it hears of the end.
    body?.destroy()
    if (keep && !body)
      await answer.body.dump({ limit: REST_BYTES, signal: AbortSignal.timeout(REST_MS) }).catch(() => {})
    letGo()
  }
  return {
    status: answer.statusCode,
    headers: Object.fromEntries(
      Object.entries(answer.headers).map(([name, value]) => [name, [value].flat().join(', ')]),
    ),
    get body() {
      return opened()
    },
    async text(limit = 64 * 1024) {
      return (await firstBytes(opened(), limit)).toString('utf8')
    },
    async json(limit = 1024 ** 2) {
      const bytes = await firstBytes(opened(), limit + 1)
      if (bytes.length > limit) throw new Unreachable(`The answer of ${host} is too large.`, true)
      try {
        return JSON.parse(bytes.toString('utf8'))
      } catch (error) {
        throw new Unreachable(`The answer of ${host} is not JSON.`, true, error)
      }
    },
    discard,
  }
}

async function firstBytes(body: Readable, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= limit) break
  }
  return Buffer.concat(chunks).subarray(0, limit)
}

/** The same bytes, with errors as `map` makes (or throws) them; `begun` hears of the first read. */
export function mapErrors(source: Readable, map: (error: unknown) => unknown, begun?: () => void): Readable {
  async function* bytes() {
    begun?.()
    try {
      yield* source as AsyncIterable<Buffer>
    } catch (error) {
      throw map(error)
    }
  }
  const mapped = Readable.from(bytes(), { objectMode: false })
  // A generator that was never begun runs no `finally`.
  return mapped.once('close', () => source.destroy())
}

/** Seconds of a `Retry-After` header, which holds seconds or a date; undefined where it says neither. */
export function retryAfterSeconds(headers: Readonly<Record<string, string>>): number | undefined {
  const value = headers['retry-after']
  if (value === undefined) return undefined
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}
