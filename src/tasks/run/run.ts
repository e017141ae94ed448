// One run of a task in a worker. A run is a value: each step returns the next task instead of changing this one.
import type { Claim, EntryEnd } from '#db/tasks/entry-rows.ts'
import type { Span } from '#kit/telemetry/trace.ts'
import type { Entry, Loaded, RunServices } from '../entry/loaded.ts'
import type { RunSlots } from './run-slots.ts'
import type { Clock } from './work-clock.ts'

export interface Run extends Loaded {
  readonly services: RunServices
  readonly claim: Claim
  /** Counts the seconds that the run works. */
  readonly clock: Clock
  readonly slots: RunSlots
  readonly span: Span
}

/** The entry as it is stored once its end is written. */
export const ended = (entry: Entry, { index: _index, forgets: _forgets, ...end }: EntryEnd): Entry => ({
  ...entry,
  result: null,
  error: null,
  warnings: [],
  output: null,
  explanation: null,
  retry_at: null,
  ...end,
})
