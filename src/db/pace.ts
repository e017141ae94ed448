// How long the database may be silent before we act, and how a dead connection is noticed.
import { AsyncLocalStorage } from 'node:async_hooks'

export interface Pace {
  /** A connection that does not answer a statement within this time counts as dead. */
  answerMs: number
  /** The same for statements that go through whole tables (`withLongTimeout`). */
  longMs: number
  /** How often an idle connection is asked whether it still answers. */
  beatMs: number
  /** How long that answer may take. */
  beatAnswerMs: number
  /** A process ends itself when its presence was not confirmed for this long, although the database answers new connections. */
  stuckMs: number
  /** Pause before a lost session reconnects. */
  retryMs: number
}

export const usualPace: Pace = {
  answerMs: 20_000,
  longMs: 300_000,
  beatMs: 5_000,
  beatAnswerMs: 8_000,
  stuckMs: 30_000,
  retryMs: 100,
}

/** A worker that was not seen for so long cannot both live and reach the database. */
export const SILENT_SECONDS = 30

/** For every connection: the operating system probes an idle connection, and gives it up after about 20 s. */
export const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000, connectionTimeoutMillis: 5_000 }

/** The same on PostgreSQL's side: locks of a machine that vanished are freed soon. A Unix socket ignores these settings. */
export const keepAliveOfServer =
  '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3 -c tcp_user_timeout=25000'

const length = new AsyncLocalStorage<true>()

/** For work whose statements may take up to `longMs`: sweeps, counts, upkeep of the queue. */
export const withLongTimeout = <T>(work: () => Promise<T>): Promise<T> => length.run(true, work)

export const hasLongTimeout = (): boolean => length.getStore() ?? false

/** The error of pg when no answer came in time. */
export const isSilence = (error: unknown): boolean => error instanceof Error && error.message === 'Query read timeout'
