// Tells errors of the database's server, and of the way to it, from errors of a statement and of our own code.
import pg from 'pg'

/**
 * SQLSTATEs that tell of the server or of the way to it, never of the statement: lost connections, no resources left, a shutdown, a failed
 * disk, no writes taken, and limits of time.
 */
const AWAY_STATES = /^(?:08...|53...|57P..|58...|25006|25P03|55P03|57014)$/

/** Codes of Node for a network that does not carry the connection. */
const AWAY_CODES =
  /^(?:ECONN[A-Z]+|ENET[A-Z]+|EHOST[A-Z]+|EAI_[A-Z]+|EADDRNOTAVAIL|ENOTCONN|ENOTFOUND|EPIPE|EPROTO|ESHUTDOWN|ETIMEDOUT|ERR_SSL_[A-Z_]+)$/

/** Errors of pg that have no code. */
const AWAY_MESSAGES = new RegExp(
  [
    'Connection terminated',
    'Query read timeout',
    '^timeout expired$',
    'timeout exceeded when trying to connect',
    'Client has encountered a connection error',
    'Client was closed and is not queryable',
    'There was an error establishing an SSL connection',
    '^received invalid response: ',
    '^Received unexpected \\w+ message from backend',
  ].join('|'),
)

/** True for what tells of the server or of the way to it, not of the query: worth another try. An error of our own code is none of these. */
export function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code = '', syscall } = error as NodeJS.ErrnoException
  return (
    syscall === 'connect' ||
    isStalePlan(error) ||
    AWAY_STATES.test(code) ||
    AWAY_CODES.test(code) ||
    AWAY_MESSAGES.test(error.message)
  )
}

export const isStalePlan = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === '0A000' && /cached plan/.test(error.message)

/** A session keeps this state when its server takes writes again. */
export const isReadOnly = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === '25006'
