// Plans a chain: which entries run together as one segment, and what each segment waits for. Pure.
import type { Form } from './adapter.ts'

export interface PlanEntry {
  index: number
  form: Form
  input_idx: number | null
  /** Need not run again: its output exists, or those of all entries that take it. */
  done: boolean
  /** It may be left out, so it hands a file on. */
  alone?: boolean
}

/** A run of neighbouring entries of one form; only the last one's file comes to be. */
export interface Segment {
  form: Form
  entries: readonly number[]
  /** The entry whose output it takes; null is the uploaded file. */
  input: number | null
}

export type Plan = readonly Segment[]

/** Entries of these forms hand pixels or streams on instead of files. */
const melting: ReadonlySet<Form> = new Set(['image', 'video'])

export function planChain(entries: readonly PlanEntry[]): Plan {
  const consumers = new Map<number, number>()
  for (const { input_idx } of entries)
    if (input_idx !== null) consumers.set(input_idx, (consumers.get(input_idx) ?? 0) + 1)
  const alone = new Set(entries.filter(entry => entry.alone).map(({ index }) => index))
  const segments: { form: Form; entries: number[]; input: number | null }[] = []
  const segmentOf = new Map<number, (typeof segments)[number]>()
  for (const entry of entries) {
    if (entry.done) continue
    const before = entry.input_idx === null ? undefined : segmentOf.get(entry.input_idx)
    if (
      before &&
      !entry.alone &&
      !alone.has(entry.input_idx as number) &&
      melting.has(entry.form) &&
      before.form === entry.form &&
      consumers.get(entry.input_idx as number) === 1
    ) {
      before.entries.push(entry.index)
      segmentOf.set(entry.index, before)
    } else {
      const segment = { form: entry.form, entries: [entry.index], input: entry.input_idx }
      segments.push(segment)
      segmentOf.set(entry.index, segment)
    }
  }
  return segments
}

/** The plan on one line: `image(0+1)<data  deliver(2)<1`. */
export const planText = (plan: Plan): string =>
  plan.map(({ form, entries, input }) => `${form}(${entries.join('+')})<${input ?? 'data'}`).join('  ')
