// One connection for what belongs to a session, such as a lock or a LISTEN. It is asked again and again whether it is still
// there, and replaced when it broke or fell silent.
import pg from 'pg'
import type { Log } from '#kit/log.ts'
import { lively, livelyServer, type Pace } from './pace.ts'

interface Session {
  /** Null while it is being made again. */
  client(): pg.Client | null
  close(): Promise<void>
}

interface SessionUse {
  /** As PostgreSQL and the log name it. */
  name: string
  pace: Pace
  /** Makes a new connection what it shall be. */
  begin(client: pg.Client): Promise<unknown>
  /** Asks it whether it is still there. */
  beat(client: pg.Client): Promise<unknown>
  /** When it is lost, and every second until there is another. */
  missing?(): void
  /** No beat was answered for `stuckMs`, although new connections are: replacing it has not helped. */
  stuck?(): void
}

const MISSING_MS = 1_000
const GOODBYE_MS = 1_000

/** Rejects if the first connection can't be made; from then on it keeps trying. `tolerant`: also from the beginning. */
export async function keepSession(url: string, log: Log, use: SessionUse, tolerant = false): Promise<Session> {
  const { name, pace } = use
  let closed = false
  let client: pg.Client | null = null
  let retry: NodeJS.Timeout | null = null
  let beating = false
  /** Counted in beats and not by the clock: a process that was frozen has asked nobody. */
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
      // Its end makes room for a new one.
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
    ...lively,
    connectionString: url,
    fallback_application_name: `keepsake ${name}`,
    options: livelyServer,
    query_timeout: answerMs,
  })

/** Whether the database answers somebody who comes anew. */
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

/** Without a word: the other side may not be there. */
export function cut(client: pg.Client): void {
  ;(client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
}

/** In order, unless the other side is gone. */
async function goodbye(client: pg.Client): Promise<void> {
  const late = setTimeout(() => cut(client), GOODBYE_MS)
  await client.end().catch(() => {})
  clearTimeout(late)
}
