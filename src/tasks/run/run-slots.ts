// Which slots of its worker a run holds: media, transfer or both. A worker has few media slots, so that other workers take the tasks beyond them.
import type { Needs } from '../lane.ts'

export interface RunSlots {
  /** Whether this kind of work may begin here. If not, the task moves to a lane where it may. */
  has(needs: Needs): boolean
  /** The run has no media work left: its media place is free for another run. */
  doneWithMedia(): void
}
