// One run of a task in a worker. A run is a value: each step returns the next task instead of changing this one.
import type { Claim } from '#db/tasks/entry-rows.ts'
import type { Span } from '#kit/telemetry/trace.ts'
import type { Loaded, RunServices } from '../entry/loaded.ts'
import type { Needs } from '../lane.ts'
import type { Clock } from './work-clock.ts'

export interface Run extends Loaded {
  readonly services: RunServices
  readonly claim: Claim
  /** Counts the seconds that the run works. */
  readonly clock: Clock
  readonly slots: RunSlots
  readonly span: Span
}

/** Which slots of its worker a run holds. A worker has few for media work, so that other workers take the tasks beyond them. */
export interface RunSlots {
  /** Whether this kind of work may begin here. If not, the task moves to a lane where it may. */
  has(needs: Needs): boolean
  /** The run has no media work left: its media slot is free for another run. */
  doneWithMedia(): void
}
