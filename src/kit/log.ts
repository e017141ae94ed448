// Structured logs: one JSON line each, with secrets cut out.

import { type DestinationStream, type Logger, pino } from 'pino'
import { logLines } from './log-lines.ts'
import { MASK } from './mask.ts'

export type Log = Logger

const STDOUT = 1

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
  'webhook_headers',
  'set-cookie',
]

export function newLog(level: string, part: string, stream?: DestinationStream): Log {
  const options = {
    level,
    base: { part },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: secret.flatMap(name => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]), censor: MASK },
  }
  // Written at once, by ourselves: pino's own stream throws at whoever logs when the disk is full.
  const lost = (msg: string): string =>
    `${JSON.stringify({ level: pino.levels.values.warn, time: new Date().toISOString(), part, msg })}\n`
  return pino(options, stream ?? logLines(STDOUT, lost))
}
