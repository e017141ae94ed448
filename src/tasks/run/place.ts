// The place a run has in its worker: a media lane has as many as there are media children, so that others can take what waits for one.
import type { Needs } from '../lane.ts'

export interface Place {
  /** Whether such work may be begun here. If not, the task goes where it may. */
  has(needs: Needs): boolean
  /** No media work is left in the run: its place among it can be another's. */
  doneWithMedia(): void
}

/** A run that goes on later, and what it needs then. Null: what it has now. */
export interface Later {
  at: Date
  needs: Needs | null
}

export const isLater = (end: unknown): end is Later => typeof end === 'object' && end !== null && 'needs' in end

/** It can go on at once, but not here. */
export const elsewhere = (needs: Needs): Later => ({ at: new Date(), needs })

export const earliest = (some: readonly Later[]): Later | null =>
  some.reduce<Later | null>((first, each) => (first && first.at <= each.at ? first : each), null)
