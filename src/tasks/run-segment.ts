// Runs one segment of a chain and records how it ended: the only place where an entry's fate is decided.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { mergeOptions, sortExtras } from '#configurations/options.ts'
import { beginEntries, countDeath, deferEntry, type EntryEnd, endEntries } from '#db/entries.ts'
import { withPatience } from '#db/patience.ts'
import type { EntryError, StoredFile } from '#db/tables.ts'
import type { EntryRow } from '#db/tasks.ts'
import { MediaProblem } from '#engine/files.ts'
import type { Segment } from '#engine/plan.ts'
import { isProblem, type Problem } from '#kit/errors.ts'
import { newId } from '#kit/ids.ts'
import type { JsonObject } from '#kit/json.ts'
import { shortened } from '#kit/text.ts'
import { deliver } from './deliver.ts'
import { asProblem, Interruption, interruptedError, pauseMs } from './interruption.ts'
import { makeFile } from './make-file.ts'
import { retryAfterMs } from './retry.ts'
import { applyEnd, type Chain, nothingLeftBut, type Run } from './run.ts'

/** A date says when an entry that was put off goes on. */
export type End = 'succeeded' | 'failed' | 'skipped' | Date

/** What a segment came to: one end per entry, and the blobs they own. */
export interface Made {
  ends: EntryEnd[]
  blobs: string[]
}

const MOST_DEATHS = 3

export async function runSegment(run: Run, chain: Chain, segment: Segment, input: StoredFile): Promise<End> {
  const { db, quick } = run.services
  const { chain_id } = chain
  const entries = segment.entries.map(index => chain.entries[index] as EntryRow)
  const first = entries[0] as EntryRow
  let noted: Promise<void> | undefined
  /** Notes that they run; once, and without making anybody wait for it. */
  function begin(): Promise<void> {
    if (noted) return noted
    for (const entry of entries) Object.assign(entry, { status: 'Running', attempts: entry.attempts + 1 })
    noted = withPatience(() => beginEntries(quick, run.lease, chain_id, segment.entries))
    noted.catch(() => {})
    return noted
  }
  try {
    const made = { chain_id, ...(await work(run, chain, segment, input, begin)) }
    await begin()
    // A file can be made again, a delivery better not: that is written at once.
    if (segment.form !== 'deliver' && nothingLeftBut(entries, run.task)) run.unwritten = made
    else await withPatience(() => endEntries(db, run.lease, made))
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
    const retryMs =
      problem instanceof Interruption
        ? pauseMs(first, problem)
        : retryAfterMs(problem, first.attempts, patienceOf(run, chain, first))
    if (retryMs !== null) return await defer(run, chain, first, problem, retryMs)
    return await fail(run, chain, segment, problem)
  }
}

/**
 * A file may stop the worker, or the media process that works on it, three times; then it is not tried again. Those that wait for
 * a media process have not begun: if the worker dies, it was not for them.
 */
async function work(
  run: Run,
  chain: Chain,
  segment: Segment,
  input: StoredFile,
  begin: () => Promise<void>,
): Promise<Made> {
  const lacking = segment.entries.find(index => !run.services.adapters.has(chain.entries[index]?.adapter_name ?? ''))
  if (lacking !== undefined)
    throw new Interruption(
      'unknown_adapter',
      `No worker that took it up has the adapter "${chain.entries[lacking]?.adapter_name}".`,
    )
  const stopped = (): MediaProblem => new MediaProblem('worker_died', 'This file stopped the worker three times.')
  if (segment.entries.some(index => (chain.entries[index] as EntryRow).deaths >= MOST_DEATHS)) throw stopped()
  for (;;) {
    const folder = join(run.folder, newId())
    mkdirSync(folder)
    try {
      if (segment.form !== 'deliver') return await makeFile(run, chain, segment, input, folder, begin)
      await begin()
      return await deliver(run, chain, segment.entries[0] as number, input, folder)
    } catch (error) {
      if (!(error instanceof MediaProblem && error.crash) || run.signal.aborted) throw error
      const deaths = await withPatience(() => countDeath(run.services.db, run.lease, chain.chain_id, segment.entries))
      if (deaths >= MOST_DEATHS) throw stopped()
    }
  }
}

/** The options of the entry that say how often it is tried. */
function patienceOf(run: Run, chain: Chain, entry: EntryRow): JsonObject {
  const adapter = run.services.adapters.get(entry.adapter_name)
  const config = run.snapshots.get(chain.snapshot_id)?.entries[entry.index]
  return adapter && config ? mergeOptions(adapter, config.defaults, sortExtras(chain.extras, 'extras').sorted) : {}
}

async function defer(run: Run, chain: Chain, entry: EntryRow, problem: Problem, retryMs: number): Promise<Date> {
  const retryAt = new Date(Date.now() + retryMs)
  // Waiting for a quota says nothing about the target, so it uses up no attempt.
  const counts = problem.fault !== 'quota'
  const { services, lease, task } = run
  if (problem instanceof Interruption)
    services.log.error(
      { err: problem.cause ?? problem, task_id: task.task_id, entry: entry.index },
      'an entry was interrupted',
    )
  const error = problem instanceof Interruption ? interruptedError(entry, problem) : errorOf(problem)
  await withPatience(() => deferEntry(services.db, lease, chain.chain_id, entry.index, retryAt, error, counts))
  Object.assign(entry, { status: 'Waiting', retry_at: retryAt, error, attempts: entry.attempts - (counts ? 0 : 1) })
  return retryAt
}

/** In a melted segment the entries before the one that failed had succeeded, those behind it never ran. */
async function fail(run: Run, chain: Chain, segment: Segment, problem: Problem): Promise<End> {
  const { services, lease } = run
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
  await withPatience(() => endEntries(services.db, lease, { chain_id: chain.chain_id, ends, blobs: [] }))
  for (const end of ends) applyEnd(chain, end)
  return 'failed'
}

const errorOf = ({ code, message }: Problem): EntryError => ({ code, message: shortened(message) })
