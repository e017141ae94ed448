// The place of a run in its worker. A media lane has one place per media child, so other workers can take the tasks beyond that.
import type { Needs } from '../lane.ts'

export interface Place {
  /** Whether this kind of work may begin here. If not, the task moves to a lane where it may. */
  has(needs: Needs): boolean
  /** The run has no media work left: its media place is free for another run. */
  doneWithMedia(): void
}
