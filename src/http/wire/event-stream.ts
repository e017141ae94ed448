// A stream of server-sent events. It ends when its credential ends, or when the reader does not read.
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { Context } from '../route/route.ts'

const BEAT_MS = 15_000
/** Together with the seconds for which the gate caches a credential, a deleted one is noticed within 5 s. */
const LOOK_MS = 1_500
/** How much a reader may leave unread. */
const MOST_UNREAD_BYTES = 1024 ** 2
/** How long a reader may take for the last bytes. */
const LINGER_MS = 5_000

export const eventHeaders = Type.Object({
  'Last-Event-ID': Type.Optional(
    Type.String({ description: 'The last event that was seen: what came after is sent.' }),
  ),
})
export const eventAnswers = {
  200: {
    description: 'Events, for as long as both sides are there and the credential is valid.',
    content: { 'text/event-stream': { schema: { type: 'string' } } },
  },
}

export interface EventStream extends Disposable {
  /** Aborted when the reader is gone, or its credential has ended. */
  gone: AbortSignal
  send(event: string, data: object, id?: number): void
  /** Sends a comment: readers skip it. */
  note(text: string): void
}

interface Reader {
  request: FastifyRequest
  reply: FastifyReply
  closing: AbortSignal
  /** Given back when the stream ends. */
  place: Disposable
  /** Whether the reader is still let in. */
  look(): Promise<boolean>
}

/** The reader of a request with a credential. Throws if the token has too many streams open. */
export const readerOf = (
  { limiter }: Pick<Context, 'limiter'>,
  request: FastifyRequest,
  reply: FastifyReply,
  closing: AbortSignal,
): Reader => ({
  request,
  reply,
  closing,
  place: limiter.stream(request.access),
  look: async () => (await request.recheckAccess()) !== null,
})

/** Takes over the response; dispose to end it. */
export function openEventStream(
  { log }: Pick<Context, 'log'>,
  { request, reply, closing, place, look: isLetIn }: Reader,
): EventStream {
  const { raw } = reply.hijack()
  const gone = new AbortController()
  let readBefore = -1

  const write = (text: string): void => {
    if (gone.signal.aborted) return
    if (raw.writableLength > MOST_UNREAD_BYTES) drop()
    else raw.write(text)
  }
  const note = (text: string): void => write(`: ${text}\n\n`)

  function drop(): void {
    gone.abort()
    raw.destroy()
  }

  function beat(): void {
    const waiting = raw.socket?.writableLength ?? 0
    const read = (raw.socket?.bytesWritten ?? 0) - waiting
    if (waiting > 0 && read === readBefore) drop()
    else note('still here')
    readBefore = read
  }

  async function look(): Promise<void> {
    try {
      if (!(await isLetIn())) gone.abort()
    } catch (error) {
      // While the database is away there are no events to send either.
      log.debug({ err: error }, 'the credential of an event stream could not be looked at')
    }
  }

  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    // No other request follows on this connection, so a stop need not wait for it.
    connection: 'close',
    'x-request-id': request.id,
  })
  raw.on('close', () => gone.abort())
  raw.on('error', () => gone.abort())
  closing.addEventListener('abort', () => gone.abort(), { signal: gone.signal })
  // To a HEAD the headers are all of the answer.
  if (closing.aborted || request.method === 'HEAD') gone.abort()
  const timers = [setInterval(beat, BEAT_MS), setInterval(look, LOOK_MS)]
  return {
    gone: gone.signal,
    note,
    send: (event, data, id) =>
      write(`event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`),
    [Symbol.dispose]() {
      for (const timer of timers) clearInterval(timer)
      place[Symbol.dispose]()
      raw.end()
      const late = setTimeout(() => raw.destroy(), LINGER_MS)
      raw.once('close', () => clearTimeout(late))
    },
  }
}
