// Keeps one connection for things that belong to a session, such as a lock or a LISTEN. It is asked regularly whether it still
// answers, and replaced when it broke or fell silent.
import pg from 'pg'
import type { Log } from '#kit/log.ts'
import { keepAlive, keepAliveOfServer, type Pace } from './pace.ts'

interface Session {
  /** Null while it reconnects. */
  client(): pg.Client | null
  close(): Promise<void>
}

interface SessionUse {
  /** Its name in PostgreSQL and in the log. */
  name: string
  pace: Pace
  /** Sets up a new connection: takes the lock, or listens. */
  begin(client: pg.Client): Promise<unknown>
  /** Asks the connection whether it still answers. */
  beat(client: pg.Client): Promise<unknown>
  /** Called when the connection is lost, and every second until there is a new one. */
  missing?(): void
  /** Called when no beat was answered for `stuckMs`, although new connections are answered: reconnecting has not helped. */
  stuck?(): void
}

const MISSING_MS = 1_000
const GOODBYE_MS = 1_000

/** Rejects if the first connection fails; later ones are retried without end. `tolerant`: the first one is retried too. */
export async function keepSession(url: string, log: Log, use: SessionUse, tolerant = false): Promise<Session> {
  const { name, pace } = use
  let closed = false
  let client: pg.Client | null = null
  let retry: NodeJS.Timeout | null = null
  let beating = false
  /** Counted in beats, not by the clock: a process that was frozen has sent no beats. */
  let unanswered = 0

  async function open(): Promise<pg.Client> {
    const next = newClient(url, name, pace.beatAnswerMs)
    let ended = false
    next.on('error', error => log.warn({ reason: error.message }, `the connection for ${name} broke`))
    next.on('end', () => {
      ended = true
      if (client !== next) return
      client = null
      use.missing?.()
      again()
    })
    try {
      await next.connect()
      await use.begin(next)
      if (ended) throw new Error('it ended at once')
      return next
    } catch (error) {
      cut(next)
      throw error
    }
  }

  async function connect(): Promise<void> {
    const next = await open()
    if (closed) return goodbye(next)
    client = next
    unanswered = 0
  }

  function again(): void {
    if (closed || retry) return
    retry = setTimeout(() => {
      connect()
        .finally(() => {
          retry = null
        })
        .catch(again)
    }, pace.retryMs)
  }

  async function beat(): Promise<void> {
    if (unanswered++ * pace.beatMs >= pace.stuckMs && (await isAnswered(url, pace))) use.stuck?.()
    if (!client || beating) return
    const asked = client
    beating = true
    try {
      await use.beat(asked)
      unanswered = 0
    } catch (error) {
      log.debug({ err: error }, `${name} was not confirmed`)
      // The `end` event starts the reconnect.
      cut(asked)
    } finally {
      beating = false
    }
  }

  await connect().catch(error => {
    if (tolerant) return again()
    closed = true
    throw error
  })
  const timers = [
    setInterval(() => void beat(), pace.beatMs),
    setInterval(() => {
      if (!client) use.missing?.()
    }, MISSING_MS),
  ]
  return {
    client: () => client,
    async close() {
      closed = true
      timers.forEach(clearInterval)
      if (retry) clearTimeout(retry)
      if (client) await goodbye(client)
    },
  }
}

const newClient = (url: string, name: string, answerMs: number): pg.Client =>
  new pg.Client({
    ...keepAlive,
    connectionString: url,
    fallback_application_name: `keepsake ${name}`,
    options: keepAliveOfServer,
    query_timeout: answerMs,
  })

/** Whether the database answers a new connection. */
async function isAnswered(url: string, { beatAnswerMs }: Pace): Promise<boolean> {
  const client = newClient(url, 'asking', beatAnswerMs)
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch {
    return false
  } finally {
    cut(client)
  }
}

/** Closes the socket without a goodbye: the other side may be gone. */
export function cut(client: pg.Client): void {
  ;(client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
}

/** Ends the connection properly, or cuts it if the other side does not answer. */
async function goodbye(client: pg.Client): Promise<void> {
  const late = setTimeout(() => cut(client), GOODBYE_MS)
  await client.end().catch(() => {})
  clearTimeout(late)
}
