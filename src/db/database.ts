// The connection pool, and the typed query builder on top of it.
import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import { Problem } from '#kit/errors.ts'
import type { Log } from '#kit/log.ts'
import { isConnectionError } from './away.ts'
import { cut } from './kept-session.ts'
import { keepAlive, keepAliveOfServer, type Pace, usualPace } from './pace.ts'
import { type OurClientConfig, PreparingClient } from './prepared-client.ts'
import type { Tables } from './tables.ts'

export type Db = Kysely<Tables>
export type Trx = Transaction<Tables>
/** Taken by every query file: the pool or a transaction. */
export type Queries = Db | Trx

const INT8 = 20
const types: pg.CustomTypesConfig = {
  // Our big integers are byte counts and sequence numbers, far below 2^53.
  getTypeParser: ((oid: number, format: never) =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

export interface Database {
  db: Db
  /** How the connections are used at this moment. */
  use(): PoolUse
  close(): Promise<void>
  /** Ends every wait for the database with an error that nobody tries again: the process has to end. */
  giveUp(): void
}

interface PoolUse {
  busy: number
  idle: number
  /** Statements that wait for a connection. */
  waiting: number
  max: number
}

export interface DatabaseUse {
  /** Connections at most. */
  max?: number
  /** The application name of the connections. One of them then stays open, so that others can see that the process is there. */
  name?: string
  /**
   * No lists with filters run here: PostgreSQL makes one plan per statement instead of one per set of values. That is no faster, but what a
   * statement reads does not change with its values.
   */
  alike?: boolean
  /** Some statements go through whole tables (`atLength`). */
  sweeps?: boolean
  /** The URL leads to a pooler in transaction mode: no startup parameters and no prepared statements. The pooler checks its connections. */
  pooled?: boolean
  pace?: Pace
}

/** PostgreSQL gives up this much earlier than we do: a statement that we report as failed is then not executed later. */
const SERVER_FIRST_MS = 2_000
/** Our own code between two statements takes less. The locks of a machine that vanished are freed after this time. */
const IDLE_IN_TRANSACTION_MS = 60_000

function parameters({ alike = false, sweeps = false, pace = usualPace }: DatabaseUse): pg.PoolConfig {
  const { answerMs, longMs } = pace
  return {
    statement_timeout: Math.max(1, (sweeps ? longMs : answerMs) - SERVER_FIRST_MS),
    lock_timeout: Math.max(1, answerMs - SERVER_FIRST_MS),
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    options: alike ? `${keepAliveOfServer} -c plan_cache_mode=force_generic_plan` : keepAliveOfServer,
  }
}

export function openDatabase(connectionString: string, log: Log, use: DatabaseUse = {}): Database {
  const { max = 14, name, pooled = false, sweeps = false, pace = usualPace } = use
  const own: OurClientConfig = { pooled, ...(sweeps ? { longMs: pace.longMs } : {}) }
  const pool = new pg.Pool({
    ...(pooled ? {} : parameters(use)),
    ...keepAlive,
    ...own,
    connectionString,
    Client: PreparingClient,
    types,
    max,
    query_timeout: pace.answerMs,
    idleTimeoutMillis: 60_000,
    ...(name ? { fallback_application_name: name, min: 1 } : {}),
  } as pg.PoolConfig)
  const broke = (level: 'warn' | 'debug') => (error: Error) => {
    // Log only these two: pg attaches the whole connection to the error.
    const { message, code } = error as NodeJS.ErrnoException
    log[pool.ending ? 'debug' : level]({ code, reason: message }, 'a database connection broke')
  }
  // Without a listener, an idle connection that breaks would end the process.
  pool.on('error', broke('warn'))
  // A connection that breaks inside a transaction, between two queries, has no other listener.
  pool.on('connect', client => void client.on('error', broke('debug')))
  const { stop, cutAll } = replaceSilent(pool, log, pace)
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  return {
    db,
    use: () => ({
      busy: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
      max,
    }),
    async close() {
      stop()
      await db.destroy()
    },
    giveUp() {
      stop()
      void db.destroy().catch(() => {})
      cutAll()
    },
  }
}

/**
 * A router or firewall forgets connections silently, and all of them at once. When one connection of the pool does not answer, the idle ones
 * are dropped with it, and so are those that wait for a slow answer. An idle one is asked now and then, so no request has to find out.
 */
function replaceSilent(pool: pg.Pool, log: Log, { beatMs, beatAnswerMs }: Pace) {
  const all = new Set<pg.PoolClient>()
  const busy = new Set<pg.PoolClient>()
  pool.on('connect', client => void all.add(client))
  pool.on('acquire', client => void busy.add(client))
  pool.on('release', (_error, client) => void busy.delete(client))
  pool.on('remove', client => void all.delete(client))
  function drop(): void {
    const silent = [...all].filter(client => !busy.has(client) || (client as unknown as PreparingClient).isLong)
    log.warn(
      { connections: silent.length + 1 },
      'the database does not answer on connections that were open; they are replaced',
    )
    silent.forEach(cut)
  }
  pool.on('connect', client => void client.on('silent' as 'end', drop))
  async function beat(): Promise<void> {
    if (pool.idleCount === 0) return
    const client = await pool.connect()
    try {
      await (client as unknown as PreparingClient).beat(beatAnswerMs)
    } finally {
      client.release()
    }
  }
  const timer = setInterval(() => void beat().catch(() => {}), beatMs).unref()
  return { stop: () => clearInterval(timer), cutAll: () => [...all].forEach(cut) }
}

/** True for an error that PostgreSQL itself reported. */
export const isDatabaseError = (error: unknown): boolean => error instanceof pg.DatabaseError

export function asUnavailable(error: unknown): unknown {
  return isConnectionError(error)
    ? new Problem('unavailable', 'The database cannot be used at the moment. Try again shortly.', {
        retryAfterSeconds: 2,
        cause: error,
      })
    : error
}

/** The name of the violated constraint; null for every other error. */
export function violatedConstraint(error: unknown): string | null {
  const { code, constraint } = error as { code?: string; constraint?: string }
  return (code === '23505' || code === '23503') && constraint ? constraint : null
}

export const json = (value: unknown): string => JSON.stringify(value)
