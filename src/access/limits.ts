// What a token may use at most, and that no token makes one that may use more than itself.
import { badField, Problem } from '#kit/errors.ts'
import { type Access, OPERATOR } from './scopes.ts'

export const limitNames = ['requests_per_minute', 'waiting_tasks', 'upload_bytes_per_day', 'streams'] as const
export type LimitName = (typeof limitNames)[number]
/** Those that a token carries; what is not there is not limited, streams excepted. */
export type Limits = Partial<Record<LimitName, number>>

/** Event streams at once of a token that says nothing else. */
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

/** The operator's own token has no row and is bound by nothing when it makes others. */
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

/** In whose name a task is put into the queue. */
export interface TaskOwner {
  /** Null: the operator. */
  tokenId: string | null
  /** Tasks that may wait at once. */
  waitingTasks: number | undefined
  /** It sees some experiences only. */
  limited: boolean
}

export const ownerOf = ({ tokenId, limits, experiences }: Access): TaskOwner => ({
  tokenId: tokenId === OPERATOR ? null : tokenId,
  waitingTasks: limits.waiting_tasks,
  limited: experiences !== null,
})
