// Runs one segment of a chain and records how it ended: the only place where an entry's fate is decided.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { mergeOptions, sortExtras } from '#configurations/options.ts'
import type { EntryError, StoredFile } from '#db/tables.ts'
import { beginEntries, countDeath, deferEntry, type EntryEnd, endEntries } from '#db/tasks/entry-rows.ts'
import type { EntryRow } from '#db/tasks/task-rows.ts'
import { withPatience } from '#db/while-away.ts'
import { MediaProblem } from '#engine/files.ts'
import type { Segment } from '#engine/plan.ts'
import { isProblem, Problem } from '#kit/errors.ts'
import { newId } from '#kit/ids.ts'
import type { JsonObject } from '#kit/json.ts'
import { shortened } from '#kit/text.ts'
import { Interruption } from '../entry/interruption.ts'
import type { Chain } from '../entry/loaded.ts'
import { asProblem, interruptedError, pauseMs } from './interrupted.ts'
import type { Later } from './place.ts'
import { retryAfterMs } from './retry-policy.ts'
import { applyEnd, nothingLeftBut, type Run } from './run.ts'
import { deliver } from './run-destination.ts'
import { makeFile } from './run-transformers.ts'

export type End = 'succeeded' | 'failed' | 'skipped' | Later

/** What a segment came to: one end per entry, and the blobs they own. */
export interface Made {
  ends: EntryEnd[]
  blobs: string[]
}

/** Notes that the entries of a segment run. */
type Begin = () => Promise<void>

export async function runSegment(run: Run, chain: Chain, segment: Segment, input: StoredFile): Promise<End> {
  const { db, quick } = run.services
  const { chain_id } = chain
  const entries = segment.entries.map(index => chain.entries[index] as EntryRow)
  const first = entries[0] as EntryRow
  let noted: Promise<void> | undefined
  let rest: (() => void) | undefined
  /** Once. A delivery waits until it is durable, and with it the claim; nobody else needs to. */
  function begin(): Promise<void> {
    if (noted) return noted
    rest = run.clock.start()
    for (const entry of entries)
      Object.assign(entry, { status: 'Running', attempts: entry.attempts + 1, retry_at: null })
    const on = segment.form === 'deliver' ? db : quick
    noted = withPatience(() => beginEntries(on, run.claim, chain_id, segment.entries))
    noted.catch(() => {})
    return noted
  }
  try {
    const made = { chain_id, ...(await work(run, chain, segment, input, begin)) }
    await begin()
    // A file can be made again, a delivery better not: that is written at once.
    if (segment.form !== 'deliver' && nothingLeftBut(entries, run.task)) run.unwritten = made
    else await withPatience(() => endEntries(db, run.claim, made))
    for (const end of made.ends) applyEnd(chain, end)
    return 'succeeded'
  } catch (error) {
    // A cancelled or interrupted run is tidied up by its owner, not here.
    if (run.signal.aborted && !isProblem(run.signal.reason, 'time_limit')) {
      await noted
      return 'skipped'
    }
    const problem = run.signal.aborted ? (run.signal.reason as Problem) : asProblem(error)
    await begin()
    const retryMs = retryMsOf(run, chain, first, problem)
    if (retryMs !== null) return await defer(run, chain, segment, problem, retryMs)
    return await fail(run, chain, segment, problem)
  } finally {
    rest?.()
  }
}

function retryMsOf(run: Run, chain: Chain, entry: EntryRow, problem: Problem): number | null {
  if (problem instanceof ChildDeath) return problem.pauseMs
  if (problem instanceof Interruption) return pauseMs(entry, problem)
  return retryAfterMs(problem, entry.attempts, patienceOf(run, chain, entry))
}

async function work(run: Run, chain: Chain, segment: Segment, input: StoredFile, begin: Begin): Promise<Made> {
  const lacking = segment.entries.find(index => !run.services.adapters.has(chain.entries[index]?.adapter_name ?? ''))
  if (lacking !== undefined)
    throw new Interruption(
      'unknown_adapter',
      `No worker that took it up has the adapter "${chain.entries[lacking]?.adapter_name}".`,
    )
  const folder = join(run.folder, newId())
  mkdirSync(folder)
  if (segment.form !== 'deliver') return makeUnlessItKills(run, chain, segment, input, folder, begin)
  await begin()
  return deliver(run, chain, segment.entries[0] as number, input, folder)
}

/**
 * A file may end the media process that works on it three times, the last time with no other work beside it; then it is not tried
 * again. The death of a worker, of its machine or of the database says nothing of a file.
 */
async function makeUnlessItKills(
  run: Run,
  chain: Chain,
  segment: Segment,
  input: StoredFile,
  folder: string,
  begin: Begin,
): Promise<Made> {
  const before = Math.max(...segment.entries.map(index => (chain.entries[index] as EntryRow).deaths))
  const alone = before === MOST_DEATHS - 1
  try {
    return await makeFile(run, chain, segment, input, folder, { onBegin: begin, alone })
  } catch (error) {
    if (!(error instanceof MediaProblem && error.crash) || run.signal.aborted) throw error
    // If it died because everything here is being ended, so is this worker by then, and nothing is held against the file.
    await sleep(OUTLIVED_MS, undefined, { signal: run.signal }).catch(() => {})
    run.signal.throwIfAborted()
    const deaths = await withPatience(() => countDeath(run.services.db, run.claim, chain.chain_id, segment.entries))
    for (const index of segment.entries) (chain.entries[index] as EntryRow).deaths = deaths
    const pause = CHILD_PAUSES[deaths - 1]
    if (pause === undefined) throw new MediaProblem('worker_died', 'This file stopped the media process three times.')
    throw new ChildDeath(pause * 1000)
  }
}

const OUTLIVED_MS = 500
/** Seconds before a file is tried again that has ended a media process. */
const CHILD_PAUSES = [2, 10]
const MOST_DEATHS = CHILD_PAUSES.length + 1

class ChildDeath extends Problem {
  readonly pauseMs: number
  constructor(pauseMs: number) {
    super('worker_died', 'The media process ended while it worked on this file. It is tried again.')
    this.pauseMs = pauseMs
  }
}

/** The options of the entry that say how often it is tried. */
function patienceOf(run: Run, chain: Chain, entry: EntryRow): JsonObject {
  const adapter = run.services.adapters.get(entry.adapter_name)
  const config = run.snapshots.get(chain.snapshot_id)?.entries[entry.index]
  return adapter && config ? mergeOptions(adapter, config.defaults, sortExtras(chain.extras, 'extras').sorted) : {}
}

async function defer(run: Run, chain: Chain, segment: Segment, problem: Problem, retryMs: number): Promise<Later> {
  const entry = chain.entries[segment.entries[0] as number] as EntryRow
  const retryAt = new Date(Date.now() + retryMs)
  // Waiting for a quota says nothing about the target, so it uses up no attempt.
  const counts = problem.fault !== 'quota'
  const { services, claim, task } = run
  if (problem instanceof Interruption)
    services.log.error(
      { err: problem.cause ?? problem, task_id: task.task_id, entry: entry.index },
      'an entry was interrupted',
    )
  const error = problem instanceof Interruption ? interruptedError(entry, problem) : errorOf(problem)
  await withPatience(() => deferEntry(services.db, claim, chain.chain_id, entry.index, retryAt, error, counts))
  Object.assign(entry, { status: 'Waiting', retry_at: retryAt, error, attempts: entry.attempts - (counts ? 0 : 1) })
  return { at: retryAt, needs: segment.form === 'deliver' ? 'transfer' : 'media' }
}

/** In a melted segment the entries before the one that failed had succeeded, those behind it never ran. */
async function fail(run: Run, chain: Chain, segment: Segment, problem: Problem): Promise<End> {
  const { services, claim } = run
  const guilty = (problem instanceof MediaProblem ? problem.entry : null) ?? (segment.entries[0] as number)
  const ends: EntryEnd[] = segment.entries.map(index => {
    if (index < guilty) return { index, status: 'Succeeded', result: { success: true } }
    return index === guilty ? { index, status: 'Failed', error: errorOf(problem) } : { index, status: 'Skipped' }
  })
  const detail = problem instanceof MediaProblem ? problem.detail : null
  services.log.info(
    { task_id: run.task.task_id, entry: guilty, code: problem.code, detail, err: problem.cause },
    'an entry failed',
  )
  await withPatience(() => endEntries(services.db, claim, { chain_id: chain.chain_id, ends, blobs: [] }))
  for (const end of ends) applyEnd(chain, end)
  return 'failed'
}

const errorOf = ({ code, message }: Problem): EntryError => ({ code, message: shortened(message) })
