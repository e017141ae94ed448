// Runs one chain: segments start as soon as their input exists, independent branches side by side.

import type { StoredFile } from '#db/tables.ts'
import { endEntries } from '#db/tasks/entry-rows.ts'
import type { EntryRow } from '#db/tasks/task-rows.ts'
import { withPatience } from '#db/while-away.ts'
import { formOf } from '#engine/adapter.ts'
import { type PlanEntry, planChain, type Segment } from '#engine/plan.ts'
import type { Chain } from '../entry/loaded.ts'
import { hasMedia } from '../lane.ts'
import { chainInput } from './chain-input.ts'
import { interrupted } from './interrupted.ts'
import { type Leg, newLeg } from './leg.ts'
import { earliest, elsewhere, isLater, type Later } from './place.ts'
import { applyEnd, hasEnded, type Run } from './run.ts'
import { type End, runSegment } from './run-segment.ts'

/** Answers when and where to go on, if an entry was put off. */
export async function runChain(run: Run, chain: Chain): Promise<Later | null> {
  try {
    return await runSegments(run, chain)
  } catch (error) {
    // A cancelled or interrupted run is tidied up by its owner, not here.
    if (run.signal.aborted) throw error
    return interrupted(run.services, run.task, [chain], error)
  }
}

async function runSegments(run: Run, chain: Chain): Promise<Later | null> {
  const input = await chainInput(run, chain)
  if (input === null || isLater(input)) return input
  const plan = planChain(chain.entries.map(entry => planEntry(run, chain, entry)))
  const ends = new Map<number, Promise<End>>()
  const leg = newLeg()
  for (const segment of plan) {
    const before = (segment.input === null ? undefined : ends.get(segment.input)) ?? Promise.resolve<End>('succeeded')
    const over = segment.entries.some(index => isOver(chain.entries[index] as EntryRow))
    const end = over
      ? Promise.resolve<End>('failed')
      : before.then(state => follow(run, chain, segment, state, input, leg))
    for (const index of segment.entries) ends.set(index, end)
  }
  // All of them come to rest before a failure is passed on: none may still write into the work folder.
  const settled = await Promise.allSettled(ends.values())
  const broken = settled.find(end => end.status === 'rejected')
  if (broken) throw broken.reason
  return earliest(settled.flatMap(end => (end.status === 'fulfilled' && isLater(end.value) ? [end.value] : [])))
}

function planEntry(run: Run, chain: Chain, entry: EntryRow): PlanEntry {
  const adapter = run.services.adapters.get(entry.adapter_name)
  // One that this worker lacks stands alone; whoever runs it tells.
  const form = adapter ? formOf(adapter) : 'run'
  return { index: entry.index, form, input_idx: entry.input_idx, done: isDone(chain, entry) }
}

/** It failed in an earlier leg of this run, or was skipped. */
const isOver = (entry: EntryRow): boolean => hasEnded(entry) && entry.status !== 'Succeeded'

/** An entry that melted into the next one left no file, so it is done only when all that need its file are done. */
export function isDone(chain: Chain, entry: EntryRow): boolean {
  if (entry.status !== 'Succeeded') return false
  if (entry.output?.blob) return true
  return chain.entries.filter(other => other.input_idx === entry.index).every(other => isDone(chain, other))
}

async function follow(
  run: Run,
  chain: Chain,
  segment: Segment,
  before: End,
  input: StoredFile,
  leg: Leg,
): Promise<End> {
  if (run.signal.aborted) return 'skipped'
  if (isLater(before)) return before
  if (before !== 'succeeded') {
    const skipped = segment.entries.map(index => ({ index, status: 'Skipped' as const }))
    const { chain_id } = chain
    await withPatience(() => endEntries(run.services.db, run.claim, { chain_id, ends: skipped, blobs: [] }))
    for (const end of skipped) applyEnd(chain, end)
    return 'skipped'
  }
  const handed = segment.input === null ? input : chain.entries[segment.input]?.output
  if (!handed?.blob) throw new Error(`entry ${segment.input} of chain ${chain.chain_id} has no file`)
  return runWhenDue(run, chain, segment, handed as StoredFile, leg)
}

/** A branch is tried when it is due, however soon another one is. */
async function runWhenDue(run: Run, chain: Chain, segment: Segment, input: StoredFile, leg: Leg): Promise<End> {
  const needs = segment.form === 'deliver' ? 'transfer' : 'media'
  for (;;) {
    const { retry_at } = chain.entries[segment.entries[0] as number] as EntryRow
    const isDue = retry_at === null || retry_at.getTime() <= Date.now() || (await leg.until(retry_at, run.signal))
    if (!isDue) return { at: retry_at, needs }
    if (!run.place.has(needs)) return elsewhere(needs)
    const end = await leg.work(() => runSegment(run, chain, segment, input))
    if (needs === 'media' && !mediaLeft(run)) run.place.doneWithMedia()
    if (!isLater(end)) return end
  }
}

const mediaLeft = ({ task, services }: Run): boolean =>
  hasMedia(
    services.adapters,
    task.chains.flatMap(({ entries }) => entries.filter(entry => !hasEnded(entry))),
  )
