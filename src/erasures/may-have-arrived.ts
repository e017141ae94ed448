// Tells whether something of a delivery that did not succeed may lie at its target, by what its attempts and earlier runs left behind.
import { type FailureRow, MOST_FAILURES } from '#db/nouns/failure-rows.ts'
import { type Code, catalogue } from '#kit/errors.ts'
import { type Chain, type Entry, type Task, takenFrom } from '#tasks/entry/loaded.ts'

/** `noted`: what the adapter read of its checkpoint. Undefined: it has none, or its adapter does not tell. */
export function mayHaveArrived(
  { status, error, started_at, checkpoint, attempts }: Entry,
  { rescues }: Task,
  noted: boolean | undefined,
): boolean {
  if (error?.code === 'outcome_unknown') return true
  // Earlier runs are asked about by themselves.
  if (started_at === null) return false
  // Each attempt waits for a quota, and noted nothing.
  if (attempts === 0 && checkpoint === null && rescues === 0) return false
  if (noted !== undefined) return noted
  const said = status === 'Failed' && error ? saidBy(error.code) : null
  if (said === null) return true
  // A refusal speaks for its own attempt alone. One that died with its worker may not be among those that are counted.
  return said === 'unreachable' || attempts > 1 || rescues > 0 || checkpoint !== null
}

/** What the last attempt itself said. Null: it was cut off, or broke in the middle. */
function saidBy(code: string): 'refused' | 'unreachable' | null {
  const fault = faultOf(code)
  if (fault === 'bug' || code === 'time_limit') return null
  return fault === 'transient' ? 'unreachable' : 'refused'
}

const faultOf = (code: string) => (Object.hasOwn(catalogue, code) ? catalogue[code as Code].fault : 'bug')

/**
 * Whether an earlier run may have brought something to the target: a retry clears that from the entry. `failures`: those of the task, of all
 * of its runs.
 */
export function mayHaveArrivedBefore(
  entry: Entry,
  chain: Chain,
  task: Pick<Task, 'run' | 'chains' | 'on_failure'>,
  failures: readonly FailureRow[],
  noted: boolean | undefined,
): boolean {
  const ancestors = ancestorsOf(chain, entry)
  const earlier = Array.from({ length: task.run - 1 }, (_, at) => at + 1)
  return earlier.some(before => {
    const ofRun = failures.filter(failure => failure.run === before)
    const ofChain = ofRun.filter(failure => failure.chain_id === chain.chain_id)
    // It had no file to deliver.
    if (ofChain.some(({ index, outcome }) => ancestors.has(index) && outcome !== 'Deferred')) return false
    const own = ofChain.filter(({ index }) => index === entry.index)
    if (own.length > 0) return isOpen(own, entry, noted)
    if (wasLeftOut(chain, task, ofRun)) return false
    // A success is no failure. With the same file and options it would have been kept; so it did not run, if all is known of that run.
    return entry.generation > 0 || !isKnown(before, failures)
  })
}

/** Whether the chain did not run because of another one of its group. */
function wasLeftOut(
  { index, ...chain }: Chain,
  { chains, on_failure }: Pick<Task, 'chains' | 'on_failure'>,
  ofRun: readonly FailureRow[],
): boolean {
  const failed = new Set(ofRun.filter(({ outcome }) => outcome !== 'Deferred').map(({ chain_id }) => chain_id))
  const left = new Set<string>()
  for (const each of chains.filter(each => each.index < index)) {
    const isMissed = failed.has(each.chain_id) || takenFrom(each).some(name => left.has(name))
    if (isMissed) left.add(each.configuration)
  }
  return on_failure === 'stop' ? left.size > 0 : takenFrom(chain).some(name => left.has(name))
}

/** Of the runs of a task the newest failures are kept. */
function isKnown(run: number, failures: readonly FailureRow[]): boolean {
  const oldest = failures.at(-1)?.run ?? Number.POSITIVE_INFINITY
  // Where some were forgotten, one fewer may be left.
  return failures.length < MOST_FAILURES - 1 ? oldest <= run : oldest < run
}

function ancestorsOf({ entries }: Chain, { input_idx }: Entry): Set<number> {
  const ancestors = new Set<number>()
  for (let at = input_idx; at !== null; at = entries[at]?.input_idx ?? null) ancestors.add(at)
  return ancestors
}

/** `noted` holds for all runs with the same file and options, but for a run whose end took its checkpoint away: a doubt, or a cancel in it. */
function isOpen(
  own: readonly FailureRow[],
  { generation, checkpoint }: Pick<Entry, 'generation' | 'checkpoint'>,
  noted: boolean | undefined,
): boolean {
  if (own.some(({ code, outcome, attempt }) => code === 'outcome_unknown' || (outcome === 'Cancelled' && attempt > 0)))
    return true
  if (noted !== undefined && generation === 0) return noted
  // An attempt that nothing is told of died with its worker.
  const told = own.reduce((sum, { times }) => sum + times, 0)
  if (told < Math.max(...own.map(({ attempt }) => attempt))) return true
  // Who waits for a quota may have delivered before: a printer waits for paper, a video for its playlist. It was noted then.
  const mayBeNoted = generation > 0 || checkpoint !== null
  return own.some(({ outcome, code }) => {
    if (outcome === 'Cancelled') return false
    return saidBy(code) !== 'refused' || (mayBeNoted && faultOf(code) === 'quota')
  })
}
