// The place a run has in its worker: a media lane has as many as there are media children, so that others can take what waits for one.
import type { Needs } from '../lane.ts'

export interface Place {
  /** Whether such work may be begun here. If not, the task goes where it may. */
  has(needs: Needs): boolean
  /** No media work is left in the run: its place among it can be another's. */
  doneWithMedia(): void
}
