// Runs one chain: fetches its input, plans its segments, and starts each segment as soon as its input exists.

import type { StoredFile } from '#db/tables.ts'
import type { EntryRow } from '#db/tasks/task-rows.ts'
import { formOf } from '#engine/adapter.ts'
import { type Plan, planChain, type Segment } from '#engine/plan.ts'
import {
  type Chain,
  type Entry,
  entryOf,
  hasEnded,
  isPassedOver,
  isThrough,
  type Task,
  withChain,
  withEntries,
} from '../entry/loaded.ts'
import { hasMedia, type Needs } from '../lane.ts'
import { refusalOf, refusedIn, withoutConsent } from './ask-consent.ts'
import { chainInput } from './chain-input.ts'
import { interrupted } from './interrupted.ts'
import { type Leg, newLeg } from './leg.ts'
import { elsewhere, failed, type Outcome, retryAt, together } from './outcome.ts'
import type { Run } from './run.ts'
import { runSegment, type SegmentEnd } from './run-segment.ts'
import { ended, writeEnds } from './write-ends.ts'

/** A task that ran as far as it can get now. */
export interface Ran {
  task: Task
  outcome: Outcome
}

export async function runChain(run: Run, before: Chain): Promise<Ran> {
  let chain = before
  try {
    const fetched = await chainInput(run, before)
    chain = fetched.chain
    if (fetched.file === null) return { task: withChain(run.task, chain), outcome: fetched.outcome }
    const plan = planOf(chain, await refusedIn(run, chain))
    // Wait for all segments before an error is passed on: none may still write into the work folder.
    const settled = await Promise.allSettled(runPlan(run, chain, plan, fetched.file))
    const ends = settled.flatMap(end => (end.status === 'fulfilled' ? [end.value] : []))
    chain = withEntries(
      chain,
      ends.flatMap(({ entries }) => entries),
    )
    const broken = settled.find(end => end.status === 'rejected')
    if (broken) throw broken.reason
    return { task: withChain(run.task, chain), outcome: together(ends.map(end => end.outcome)) }
  } catch (error) {
    // The caller ends a run that was cancelled or interrupted.
    if (run.signal.aborted) throw error
    return interrupted(run.services, withChain(run.task, chain), error, chain)
  }
}

/** Ends a chain whose input will not come. */
export async function skipChain(run: Run, chain: Chain): Promise<Ran> {
  const open = chain.entries.filter(entry => !hasEnded(entry))
  const { outcome, entries } = await skip(run, chain, open)
  return { task: withChain(run.task, withEntries(chain, entries)), outcome }
}

/** `refused`: the entries whose guests have not agreed. */
function planOf(chain: Chain, refused: ReadonlySet<number>): Plan {
  return planChain(
    chain.entries.map(entry => ({
      index: entry.index,
      // An entry whose adapter this worker lacks gets its own segment. Running it reports the missing adapter.
      form: entry.adapter ? formOf(entry.adapter) : 'run',
      input_idx: entry.input_idx,
      done: isDone(chain, entry),
      alone: refused.has(entry.index),
    })),
  )
}

/** A melted entry left no file, so it is done only when all entries that need its file are done. */
export function isDone(chain: { entries: readonly EntryRow[] }, entry: EntryRow): boolean {
  if (isPassedOver(entry)) return true
  if (entry.status !== 'Succeeded') return false
  if (entry.output?.blob) return true
  return chain.entries.filter(other => other.input_idx === entry.index).every(other => isDone(chain, other))
}

/** One promise per segment. Independent branches run side by side. */
function runPlan(run: Run, chain: Chain, plan: Plan, file: StoredFile): Promise<SegmentEnd>[] {
  const ends = new Map<number, Promise<SegmentEnd>>()
  const isOver = ({ entries }: Segment): boolean => entries.some(index => failedBefore(entryOf(chain, index)))
  const open = plan.filter(segment => !isOver(segment))
  const leg = newLeg(open.filter(isMedia).length + (mediaComes(run, chain) ? 1 : 0), run.slots.doneWithMedia)
  return plan.map(segment => {
    const before = segment.input === null ? undefined : ends.get(segment.input)
    const end = isOver(segment)
      ? Promise.resolve<SegmentEnd>({ outcome: failed, entries: [] })
      : follow(run, chain, { segment, before, file, leg })
    for (const index of segment.entries) ends.set(index, end)
    return end
  })
}

/** Failed or was skipped, in this leg or an earlier one. */
const failedBefore = (entry: Entry): boolean => hasEnded(entry) && !isThrough(entry)

const isMedia = ({ form }: Segment): boolean => form !== 'deliver'
const needsOf = (segment: Segment): Needs => (isMedia(segment) ? 'media' : 'transfer')

const mediaComes = ({ task, services }: Run, chain: Chain): boolean =>
  task.chains.some(
    ({ index, entries }) =>
      index > chain.index &&
      hasMedia(
        services.adapters,
        entries.filter(entry => !hasEnded(entry)),
      ),
  )

interface Following {
  segment: Segment
  /** The segment that makes its input; undefined if that ran in an earlier leg, or if the input is the chain's own file. */
  before: Promise<SegmentEnd> | undefined
  file: StoredFile
  leg: Leg
}

async function follow(run: Run, chain: Chain, following: Following): Promise<SegmentEnd> {
  const { segment, before, file, leg } = following
  const entries = segment.entries.map(index => entryOf(chain, index))
  const earlier = await before
  if (run.signal.aborted) return { outcome: failed, entries }
  if (earlier && earlier.outcome.is !== 'done') {
    if (earlier.outcome.is !== 'failed') return { outcome: earlier.outcome, entries }
    if (isMedia(segment)) leg.mediaEnded()
    return skip(run, chain, entries)
  }
  const handedOn = earlier?.entries.at(-1) ?? (segment.input === null ? null : entryOf(chain, segment.input))
  const input = handedOn ? handedOn.output : file
  if (!input?.blob) throw new Error(`entry ${segment.input} of chain ${chain.chain_id} has no file`)
  const end = await runWhenDue(run, chain, { segment, entries, input: input as StoredFile }, leg)
  if (isMedia(segment) && (end.outcome.is === 'done' || end.outcome.is === 'failed')) leg.mediaEnded()
  return end
}

async function skip(run: Run, chain: Chain, entries: readonly Entry[]): Promise<SegmentEnd> {
  const ends = entries.map(({ index }) => ({ index, status: 'Skipped' as const }))
  await writeEnds(run.services, run.claim, chain, ends)
  return {
    outcome: failed,
    entries: entries.map((entry, at) => ended(entry, ends[at] as (typeof ends)[number])),
  }
}

/** Retries a branch when it is due, for as long as another branch keeps the leg working. Its guests are asked before each attempt. */
async function runWhenDue(
  run: Run,
  chain: Chain,
  first: Parameters<typeof runSegment>[2],
  leg: Leg,
): Promise<SegmentEnd> {
  const needs = needsOf(first.segment)
  for (let work = first; ; ) {
    const { entries, input } = work
    const refusal = await refusalOf(run, chain, entries)
    if (refusal) return leg.work(() => withoutConsent(run, chain, entries, input, refusal, needs))
    const due = entries[0]?.retry_at ?? null
    if (due !== null && due.getTime() > Date.now()) {
      // Somebody may have said no by then, so it begins again from there.
      if (await leg.until(due, run.signal)) continue
      return { outcome: retryAt(due, needs), entries }
    }
    if (!run.slots.has(needs)) return { outcome: elsewhere(needs), entries }
    const end = await leg.work(() => runSegment(run, chain, work))
    if (end.outcome.is !== 'retry' || end.outcome.lacking) return end
    work = { ...work, entries: end.entries }
  }
}
