// Limits the work that clients wait for: in total and per experience, so that no more tokens or guests make more of it. The work stops when the client hangs up.
import type { FastifyReply } from 'fastify'
import type { Access } from '#access/scopes.ts'
import { Problem } from '#kit/errors.ts'
import type { Settings } from '#kit/settings.ts'
import { newSlots, type Slots } from '#kit/slots.ts'

export interface Works {
  /** Previews, and files of melted entries: as heavy as a task. */
  previews: Slots
  /** Probes of a file, and thumbnails. */
  probes: Slots
  /** Checks of configurations, which mostly wait for other systems. */
  checks: Slots
}

export function newWorks({ maxPreviews }: Settings): Works {
  const share = Math.max(1, Math.floor(maxPreviews / 2))
  return {
    previews: newSlots({ total: maxPreviews, each: share, waiting: 16, waitingInAll: 200 }),
    probes: newSlots({ total: 3, each: 2, waiting: 500, waitingInAll: 1_000 }),
    checks: newSlots({ total: 8, each: 2, waiting: 16, waitingInAll: 100 }),
  }
}

/** Whose place work takes that belongs to no experience: tokens of one experience share theirs. */
export const placeOwner = ({ experiences, tokenId }: Access): string => experiences?.toSorted()[0] ?? `token ${tokenId}`

/** Aborted when the client has gone or has its response. */
export function hungUp({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  const abort = (): void => gone.abort(new Problem('cancelled', 'The client went away.'))
  if (raw.destroyed) abort()
  else raw.once('close', abort)
  return gone.signal
}
