// Runs one segment of a chain and writes how its entries ended.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { extrasFor, mergeOptions } from '#configurations/options.ts'
import { retryWhileAway } from '#db/retry-while-away.ts'
import type { StoredError, StoredFile } from '#db/tables.ts'
import {
  beginEntries,
  deferEntry,
  type EntryEnd,
  type ForLater,
  saveDeaths,
  saveForLater,
} from '#db/tasks/entry-rows.ts'
import { MediaProblem } from '#engine/files.ts'
import { patienceIn } from '#engine/option-roles.ts'
import type { Segment } from '#engine/plan.ts'
import { isProblem, Problem } from '#kit/errors.ts'
import { newId } from '#kit/ids.ts'
import { within } from '#kit/telemetry/trace.ts'
import { shortened } from '#kit/text.ts'
import { needsOf } from '../entry/fleet.ts'
import { Interruption, lacksAdapter } from '../entry/interruption.ts'
import type { Chain, Entry } from '../entry/loaded.ts'
import { asProblem, cutOffBy } from './interrupted.ts'
import { done, elsewhere, failed, type Outcome, outcomeOf, retryAt } from './outcome.ts'
import { pauseOf, usesAttempt, waitingError } from './retry-policy.ts'
import type { Run } from './run.ts'
import { runDestination } from './run-destination.ts'
import { runTransformers } from './run-transformers.ts'
import { countRetry, ended, writeEnds } from './write-ends.ts'

interface SegmentWork {
  segment: Segment
  /** The segment's entries before it runs. */
  entries: readonly Entry[]
  input: StoredFile
}

export interface SegmentEnd {
  outcome: Outcome
  /** The segment's entries after it ran. */
  entries: readonly Entry[]
}

/** The result of a segment: one end per entry, and the blobs they own. */
export interface EndedEntries {
  ends: EntryEnd[]
  blobs: string[]
}

export async function runSegment(run: Run, chain: Chain, work: SegmentWork): Promise<SegmentEnd> {
  const { segment, entries } = work
  const span = run.span.child(segment.form === 'deliver' ? 'deliver' : 'process', {
    attributes: {
      'keepsake.adapters': entries.map(({ adapter_name }) => adapter_name),
      'keepsake.configurations': entries.map(({ configuration }) => configuration),
      'keepsake.attempt': (entries[0]?.attempts ?? 0) + 1,
      'keepsake.input_bytes': work.input.bytes,
    },
  })
  return within(span, () => runTraced({ ...run, span }, chain, work))
}

async function runTraced(run: Run, chain: Chain, work: SegmentWork): Promise<SegmentEnd> {
  const { db } = run.services
  const { chain_id } = chain
  const { segment, input } = work
  const isDelivery = segment.form === 'deliver'
  let entries = work.entries
  const { fleet } = run.services
  const needs = needsOf(chain, entries)
  /** Its attempt, if it has begun one, is cut off: it does not count. */
  const forAnother = (): SegmentEnd => ({
    outcome: { ...elsewhere(isDelivery ? 'transfer' : 'media'), lacking: needs },
    entries: work.entries,
  })
  if (await fleet.isForAnother(needs)) return forAnother()
  let noted: Promise<void> | undefined
  let rest: (() => void) | undefined
  /** Notes once that the entries run. Only a delivery waits until this note, and with it the claim, is durable. */
  function begin(): Promise<void> {
    if (noted) return noted
    rest = run.clock.start()
    entries = entries.map(entry => ({ ...entry, status: 'Running', attempts: entry.attempts + 1, retry_at: null }))
    noted = retryWhileAway(() => beginEntries(db, run.claim, chain_id, entries))
    noted.catch(() => {})
    return noted
  }
  async function save(saved: ForLater): Promise<void> {
    const { index } = entries[0] as Entry
    await retryWhileAway(() => saveForLater(db, run.claim, chain_id, index, saved))
    entries = entries.map(entry => ({ ...entry, ...saved }))
  }
  try {
    requireAdapters(entries)
    const folder = join(run.folder, newId())
    if (isDelivery) await begin()
    const made = isDelivery
      ? await runDestination(run, chain, { entry: entries[0] as Entry, input, folder, save })
      : await runUnlessItKills(run, chain, work, folder, begin)
    await begin()
    await writeEnds(run.services, run.claim, chain, made.ends, made.blobs)
    return { outcome: done, entries: after(entries, made.ends) }
  } catch (error) {
    // The caller ends a run that was cancelled or interrupted.
    if (run.signal.aborted && !isProblem(run.signal.reason, 'time_limit')) {
      await noted
      const cutOff = isProblem(error, 'outcome_unknown') ? withError(entries, errorOf(error)) : entries
      return { outcome: outcomeOf(error, run) ?? failed, entries: cutOff }
    }
    const problem = run.signal.aborted ? cutOffBy(run.signal.reason as Problem, error) : asProblem(error)
    if (problem.code === 'tool_missing') {
      fleet.lost(needs)
      await noted
      if (await fleet.isForAnother(needs)) return forAnother()
    }
    await begin()
    if (problem instanceof ChildDeath) entries = entries.map(entry => ({ ...entry, deaths: problem.deaths }))
    run.span.fail(problem.code)
    const retryMs = retryMsOf(chain, entries[0] as Entry, problem)
    return retryMs === null
      ? await fail(run, chain, entries, problem)
      : await defer(run, chain, segment, entries, problem, retryMs)
  } finally {
    rest?.()
  }
}

const after = (entries: readonly Entry[], ends: readonly EntryEnd[]): Entry[] =>
  entries.map(entry => {
    const end = ends.find(({ index }) => index === entry.index)
    return end ? ended(entry, end) : entry
  })

const withError = (entries: readonly Entry[], error: StoredError): Entry[] =>
  entries.map(entry => ({ ...entry, error }))

function requireAdapters(entries: readonly Entry[]): void {
  const lacking = entries.find(({ adapter }) => !adapter)
  if (lacking) throw lacksAdapter(lacking)
}

/**
 * A file may end its media process three times, the third time with no other work beside it. Then the entry fails. The death of
 * a worker, of its machine or of the database does not count against the file.
 */
async function runUnlessItKills(
  run: Run,
  chain: Chain,
  { segment, entries, input }: SegmentWork,
  folder: string,
  begin: () => Promise<void>,
): Promise<EndedEntries> {
  const alone = Math.max(...entries.map(({ deaths }) => deaths)) === MOST_DEATHS - 1
  try {
    return await runTransformers(run, chain, { segment, input, folder }, { onBegin: begin, alone })
  } catch (error) {
    if (!(error instanceof MediaProblem && error.crash) || run.signal.aborted) throw error
    // If the whole machine is going down, this worker ends within the pause too, and the death does not count against the file.
    await sleep(OUTLIVED_MS, undefined, { signal: run.signal }).catch(() => {})
    run.signal.throwIfAborted()
    const counted = entries.map(({ index, deaths }) => ({ index, deaths: deaths + 1 }))
    await retryWhileAway(() => saveDeaths(run.services.db, run.claim, chain.chain_id, counted))
    const deaths = Math.max(...counted.map(each => each.deaths))
    const pause = CHILD_PAUSES[deaths - 1]
    if (pause === undefined) throw new MediaProblem('worker_died', 'This file stopped the media process three times.')
    throw new ChildDeath(deaths, pause * 1000)
  }
}

const OUTLIVED_MS = 500
/** Seconds before the next try of a file that ended a media process. */
const CHILD_PAUSES = [2, 10]
const MOST_DEATHS = CHILD_PAUSES.length + 1

class ChildDeath extends Problem {
  readonly deaths: number
  readonly pauseMs: number
  constructor(deaths: number, pauseMs: number) {
    super('worker_died', 'The media process ended while it worked on this file. It is tried again.')
    this.deaths = deaths
    this.pauseMs = pauseMs
  }
}

function retryMsOf(chain: Chain, entry: Entry, problem: Problem): number | null {
  if (problem instanceof ChildDeath) return problem.pauseMs
  const { adapter, config } = entry
  const patience =
    adapter && config
      ? patienceIn(adapter, mergeOptions(adapter, config.defaults, extrasFor(chain.sorted, config, adapter)))
      : {}
  return pauseOf(entry, problem, patience)
}

async function defer(
  run: Run,
  chain: Chain,
  segment: Segment,
  entries: readonly Entry[],
  problem: Problem,
  retryMs: number,
): Promise<SegmentEnd> {
  const [entry, ...others] = entries as [Entry, ...Entry[]]
  const at = new Date(Date.now() + retryMs)
  const { services, claim, task } = run
  const isInterrupted = problem instanceof Interruption
  if (isInterrupted)
    services.log.error(
      { err: problem.cause ?? problem, task_id: task.task_id, entry: entry.index },
      'an entry was interrupted',
    )
  const error = waitingError(entry, problem)
  const attempts = entry.attempts - (usesAttempt(problem) ? 0 : 1)
  const waiting: Entry = { ...entry, status: 'Waiting', retry_at: at, error, attempts }
  await retryWhileAway(() => deferEntry(services.db, claim, chain.chain_id, waiting, at, error))
  countRetry(services, entry)
  const needs = segment.form === 'deliver' ? 'transfer' : 'media'
  return { outcome: retryAt(at, needs), entries: [waiting, ...others] }
}

/** In a melted segment the entries before the failed one succeeded, and those after it never ran. */
async function fail(run: Run, chain: Chain, entries: readonly Entry[], problem: Problem): Promise<SegmentEnd> {
  const { services, claim } = run
  const guilty = (problem instanceof MediaProblem ? problem.entry : null) ?? (entries[0] as Entry).index
  const ends: EntryEnd[] = entries.map(({ index }) => {
    if (index < guilty) return { index, status: 'Succeeded', result: { success: true } }
    return index === guilty ? { index, status: 'Failed', error: errorOf(problem) } : { index, status: 'Skipped' }
  })
  const detail = problem instanceof MediaProblem ? problem.detail : null
  services.log.info(
    { task_id: run.task.task_id, entry: guilty, code: problem.code, detail, err: problem.cause },
    'an entry failed',
  )
  await writeEnds(services, claim, chain, ends)
  return { outcome: failed, entries: after(entries, ends) }
}

const errorOf = ({ code, message }: Problem): StoredError => ({ code, message: shortened(message) })
