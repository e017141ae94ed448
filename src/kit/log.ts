// Structured logs: one JSON line each, with secrets cut out.
import { type DestinationStream, type Logger, pino } from 'pino'

export type Log = Logger

const secret = [
  'authorization',
  'cookie',
  'auth',
  'token',
  'secret',
  'password',
  'secret_key',
  'access_key',
  'refresh_token',
  'client_secret',
  'private_key',
  'webhook_secret',
  'set-cookie',
]

export function newLog(level: string, part: string, stream?: DestinationStream): Log {
  const options = {
    level,
    base: { part },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: secret.flatMap(name => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]), censor: '********' },
  }
  // Written at once: what waits for its turn is flushed at exit, for ever if nobody reads any more (sonic-boom 4.2).
  return pino(options, stream ?? pino.destination({ fd: 1, sync: true }))
}
