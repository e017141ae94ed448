// The connection pool and the typed query builder over it.
import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import { Problem } from '#kit/errors.ts'
import type { Log } from '#kit/log.ts'
import { isStalePlan, PreparingClient } from './prepared.ts'
import type { Tables } from './tables.ts'

export type Db = Kysely<Tables>
export type Trx = Transaction<Tables>
/** What a query file takes: the pool or a transaction. */
export type Queries = Db | Trx

const INT8 = 20
const types: pg.CustomTypesConfig = {
  // Our big integers are byte counts and sequence numbers, far below 2^53.
  getTypeParser: ((oid: number, format: never) =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

export interface Database {
  db: Db
  /**
   * The same, but a commit does not wait for the disk. For notes whose loss in a crash of the database changes nothing, because
   * whatever is committed later waits for them too.
   */
  quick: Db
  close(): Promise<void>
}

export interface DatabaseUse {
  /** Connections at most. */
  max?: number
  /** Nobody lists by filters here, so one plan serves every value and none is made for the very values. */
  alike?: boolean
  /** What the connections are called; one of them is then always open, for whoever looks who is there. */
  name?: string
  /** How long an answer may take before the database counts as away. Unset: whoever asks can wait for ever. */
  answerMs?: number
}

/** So much earlier PostgreSQL itself gives up what waits for a lock or a slow disk: what is refused is then not done either. */
const SERVER_FIRST_MS = 2_000

export function openDatabase(url: string, log: Log, use: DatabaseUse = {}): Database {
  const { max = 10, alike = false, answerMs, name } = use
  const named = name === undefined ? {} : { application_name: name }
  const limits =
    answerMs === undefined ? {} : { query_timeout: answerMs, statement_timeout: answerMs - SERVER_FIRST_MS }
  const onePlan = '-c plan_cache_mode=force_generic_plan'
  const db = newPool(url, log, { ...limits, ...named, max, min: name ? 1 : 0, ...(alike ? { options: onePlan } : {}) })
  const options = `-c synchronous_commit=off ${onePlan}`
  const quick = newPool(url, log, { ...limits, ...named, max: Math.ceil(max / 3), options })
  return {
    db,
    quick,
    async close() {
      await Promise.all([db.destroy(), quick.destroy()])
    },
  }
}

function newPool(connectionString: string, log: Log, own: pg.PoolConfig): Db {
  const pool = new pg.Pool({
    ...own,
    connectionString,
    Client: PreparingClient,
    types,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
  })
  const broke = (level: 'warn' | 'debug') => (error: Error) => {
    // pg hangs the whole connection on it.
    const { message, code } = error as NodeJS.ErrnoException
    log[pool.ending ? 'debug' : level]({ code, reason: message }, 'a database connection broke')
  }
  // Without a listener an idle connection that breaks would end the process.
  pool.on('error', broke('warn'))
  // One that breaks in the middle of a transaction, between two queries, is nobody's but its own.
  pool.on('connect', client => void client.on('error', broke('debug')))
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
}

const CONNECTION_ERRORS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  '57014', // Cancelled, because it took too long.
  '57P01',
  '57P02',
  '57P03',
  '08000',
  '08001',
  '08003',
  '08006',
  '53300',
])

/** What pg says without a code. */
const CONNECTION_MESSAGES = new RegExp(
  [
    'Connection terminated',
    'Query read timeout',
    'timeout exceeded when trying to connect',
    'Client has encountered a connection error',
  ].join('|'),
)

/** True for failures of the connection, not of the query: worth trying again. */
export function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, syscall } = error as NodeJS.ErrnoException
  return (
    syscall === 'connect' ||
    isStalePlan(error) ||
    (code !== undefined && CONNECTION_ERRORS.has(code)) ||
    CONNECTION_MESSAGES.test(error.message)
  )
}

/** An answer of PostgreSQL itself that is an error. */
export const isDatabaseError = (error: unknown): boolean => error instanceof pg.DatabaseError

export function asUnavailable(error: unknown): unknown {
  return isConnectionError(error)
    ? new Problem('unavailable', 'The database cannot be reached at the moment. Try again shortly.', {
        retryAfterSeconds: 2,
        cause: error,
      })
    : error
}

/** The violated constraint, when that is what a query failed on. */
export function violatedConstraint(error: unknown): string | null {
  const { code, constraint } = error as { code?: string; constraint?: string }
  return (code === '23505' || code === '23503') && constraint ? constraint : null
}

export const json = (value: unknown): string => JSON.stringify(value)
