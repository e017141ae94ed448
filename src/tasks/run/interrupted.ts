// What becomes of an entry that was interrupted by something nobody foresaw: tried again after growing pauses, then failed.
import { isConnectionError } from '#db/database.ts'
import { retryWhileAway } from '#db/retry-while-away.ts'
import type { EntryError } from '#db/tables.ts'
import { ClaimLost, deferEntry, type EntryEnd, endEntries } from '#db/tasks/entry-rows.ts'
import type { EntryRow } from '#db/tasks/task-rows.ts'
import { Problem } from '#kit/errors.ts'
import { Interruption } from '../entry/interruption.ts'
import { type Chain, type Entry, type Task, withChain, withEntries } from '../entry/loaded.ts'
import type { TaskServices } from '../task-services.ts'
import { failed, LetGo, type Outcome, retryAt } from './outcome.ts'
import { retryAfterMs } from './retry-policy.ts'
import { ended, hasEnded } from './run.ts'

/** Seconds before each further try. */
const PAUSES = [2, 6, 18, 54, 162]

/** What is to be told of an error inside a run. What is not the entry's at all (the database is away, the claim is lost) is thrown. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof ClaimLost || error instanceof LetGo || isConnectionError(error)) throw error
  return new Interruption(
    'internal',
    `It failed ${PAUSES.length + 1} times in a way that was not foreseen; the log of the worker has more.`,
    { cause: error },
  )
}

/** How often it was interrupted in the same way, without anything else in between. */
const triesOf = ({ error }: EntryRow, code: string): number => (error?.code === code ? (error.tries ?? 0) : 0)

/** Milliseconds before the next try; null when there is none. */
export function pauseMs(entry: EntryRow, { code }: Interruption): number | null {
  const seconds = PAUSES[triesOf(entry, code)]
  return seconds === undefined ? null : seconds * 1000
}

/** As it is kept with an entry that waits for another try. */
export function interruptedError(entry: EntryRow, { code, cause, message }: Interruption): EntryError {
  const waiting = 'It was interrupted in a way that was not foreseen, and is tried again.'
  return { code, message: cause === undefined ? message : waiting, tries: triesOf(entry, code) + 1 }
}

/** A task one of whose chains could not go on, as it is then. */
interface Interrupted {
  task: Task
  outcome: Outcome
}

/**
 * An error outside of the work on an entry is held against the first one that has not ended, or it would be met for ever: of this
 * chain, or of any.
 */
export async function interrupted(
  { db, log }: TaskServices,
  task: Task,
  error: unknown,
  only?: Chain,
): Promise<Interrupted> {
  const problem = asProblem(error)
  const chain = (only ? [only] : task.chains).find(({ entries }) => !entries.every(hasEnded))
  const entry = chain?.entries.find(each => !hasEnded(each))
  if (!chain || !entry) throw error
  const { chain_id } = chain
  const { index } = entry
  const isCounted = problem instanceof Interruption
  const pause = isCounted ? pauseMs(entry, problem) : retryAfterMs(problem, entry.attempts)
  const about = { err: error, task_id: task.task_id, entry: index }
  const after = (changed: Entry): Task => withChain(task, withEntries(chain, [changed]))
  if (pause !== null) {
    log.error(about, 'a task was interrupted')
    const at = new Date(Date.now() + pause)
    const told = isCounted ? interruptedError(entry, problem) : { code: problem.code, message: problem.message }
    await retryWhileAway(() => deferEntry(db, task, chain_id, index, at, told, true))
    return { task: after({ ...entry, status: 'Waiting', retry_at: at, error: told }), outcome: retryAt(at, null) }
  }
  log.error({ ...about, code: problem.code }, 'an entry failed before it could run')
  const { code, message } = problem
  const end: EntryEnd = { index, status: 'Failed', error: { code, message } }
  await retryWhileAway(() => endEntries(db, task, { chain_id, ends: [end], blobs: [] }))
  return { task: after(ended(entry, end)), outcome: failed }
}
