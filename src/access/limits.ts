// Limits of tokens. A token cannot make another one with higher limits than its own.
import { badField, Problem } from '#kit/errors.ts'
import { type Access, includes, OPERATOR } from './scopes.ts'

export const limitNames = ['requests_per_minute', 'waiting_tasks', 'upload_bytes_per_day', 'streams'] as const
export type LimitName = (typeof limitNames)[number]
/** The limits that a token has. A missing one means unlimited, except for streams. */
export type Limits = Partial<Record<LimitName, number>>

/** Concurrent event streams of a token without a limit of its own. */
export const STREAMS = 20

/** The largest value that a limit may have. */
export const mostOf: Record<LimitName, number> = {
  requests_per_minute: 1_000_000,
  waiting_tasks: 1_000_000,
  upload_bytes_per_day: 2 ** 50,
  streams: 10_000,
}

const meaning: Record<LimitName, (most: number) => string> = {
  requests_per_minute: most => `may send ${most} requests a minute`,
  waiting_tasks: most => `may have ${most} tasks waiting`,
  upload_bytes_per_day: most => `may upload ${most} bytes a day`,
  streams: most => `may have ${most} event streams open at once`,
}

export const overLimit = (name: LimitName, most: number, retryAfterSeconds: number): Problem =>
  new Problem('token_limit', `Your token ${meaning[name](most)} at most (limits.${name}). Try again later.`, {
    retryAfterSeconds: Math.max(1, Math.ceil(retryAfterSeconds)),
  })

/** Not for the operator's own token: it has no row, and nothing limits the tokens it makes. */
export function requireWithin({ tokenId, limits }: Access, wanted: Limits | null): void {
  if (tokenId === OPERATOR) return
  const own: Limits = { streams: STREAMS, ...limits }
  for (const name of limitNames) {
    const most = own[name]
    const given = wanted?.[name] ?? (name === 'streams' ? STREAMS : undefined)
    if (most !== undefined && (given === undefined || given > most))
      throw badField(`limits.${name}`, `must be ${most} at most, because your own token ${meaning[name](most)}`)
  }
}

/** Who queues a task. */
export interface TaskOwner {
  /** Null: the operator. */
  tokenId: string | null
  /** How many tasks may wait at once. */
  waitingTasks: number | undefined
  /** The token sees only some experiences. */
  limited: boolean
  /** The token may bring any kind of file in place of an asset, as it may make assets. */
  anyFile: boolean
}

export const ownerOf = ({ tokenId, limits, experiences, scope }: Access): TaskOwner => ({
  tokenId: tokenId === OPERATOR ? null : tokenId,
  waitingTasks: limits.waiting_tasks,
  limited: experiences !== null,
  anyFile: includes(scope, 'write'),
})
