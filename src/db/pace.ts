// How long the database may be silent before something is done about it, and how a dead connection is noticed at all.
import { AsyncLocalStorage } from 'node:async_hooks'

export interface Pace {
  /** An answer to a statement takes no longer, or its connection counts as dead. */
  answerMs: number
  /** The same for statements that go through whole tables (`atLength`). */
  longMs: number
  /** So often a connection at rest is asked whether it is still there. */
  beatMs: number
  /** So long it may take to say so. */
  beatAnswerMs: number
  /** A process whose presence was not confirmed for so long, although others are answered, ends. */
  stuckMs: number
  /** Until a lost session is made again. */
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

/** What every connection has: on an idle one the machine itself asks the other side, and gives it up after about 20 s. */
export const lively = { keepAlive: true, keepAliveInitialDelayMillis: 10_000, connectionTimeoutMillis: 5_000 }

/** The same from the side of PostgreSQL: what a vanished machine had locked is free again soon. A socket file has no use for them. */
export const livelyServer =
  '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3 -c tcp_user_timeout=25000'

const length = new AsyncLocalStorage<true>()

/** For work whose statements may take as long as `longMs`: sweeps, counts, upkeep of the queue. */
export const atLength = <T>(work: () => Promise<T>): Promise<T> => length.run(true, work)

export const isAtLength = (): boolean => length.getStore() ?? false

/** What pg says when nobody answered in time. */
export const isSilence = (error: unknown): boolean => error instanceof Error && error.message === 'Query read timeout'
