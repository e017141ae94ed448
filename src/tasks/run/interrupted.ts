// Handles an unforeseen error: the entry is tried again after growing pauses, then fails.
import { isConnectionError } from '#db/away.ts'
import { retryWhileAway } from '#db/retry-while-away.ts'
import { ClaimLost, deferEntry, type EntryEnd } from '#db/tasks/entry-rows.ts'
import { isProblem, Problem } from '#kit/errors.ts'
import { Interruption } from '../entry/interruption.ts'
import { type Chain, type Entry, hasEnded, type Task, withChain, withEntries } from '../entry/loaded.ts'
import type { TaskServices } from '../task-services.ts'
import { failed, LetGo, type Outcome, retryAt } from './outcome.ts'
import { MOST_TRIES, pauseOf, waitingError } from './retry-policy.ts'
import { countRetry, ended, writeEnds } from './write-ends.ts'

/** Turns an error inside a run into the entry's Problem. Throws what is not about the entry: a lost claim, a database that is away. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof ClaimLost || error instanceof LetGo || isConnectionError(error)) throw error
  return new Interruption(
    'internal',
    `It failed ${MOST_TRIES} times in a way that was not foreseen; the log of the worker has more.`,
    { cause: error },
  )
}

/** What a cut-off entry ends with: the reason, and first of all that its delivery may have arrived, where nobody can know. */
export const cutOffBy = (reason: Problem, error: unknown): Problem =>
  isProblem(error, 'outcome_unknown')
    ? new Problem('outcome_unknown', `${error.message} ${reason.message}`, { cause: error })
    : reason

/** The task after one of its chains was interrupted. */
interface Interrupted {
  task: Task
  outcome: Outcome
}

/**
 * An error outside an entry's own work is counted against the first open entry (of `only`, or of the whole task). Otherwise the
 * task would meet it for ever.
 */
export async function interrupted(
  services: TaskServices,
  task: Task,
  error: unknown,
  only?: Chain,
): Promise<Interrupted> {
  const { db, log } = services
  const problem = asProblem(error)
  const chain = (only ? [only] : task.chains).find(({ entries }) => !entries.every(hasEnded))
  const entry = chain?.entries.find(each => !hasEnded(each))
  if (!chain || !entry) throw error
  const { chain_id } = chain
  const { index } = entry
  const pause = pauseOf(entry, problem)
  const about = { err: error, task_id: task.task_id, entry: index }
  const after = (changed: Entry): Task => withChain(task, withEntries(chain, [changed]))
  if (pause !== null) {
    log.error(about, 'a task was interrupted')
    const at = new Date(Date.now() + pause)
    const told = waitingError(entry, problem)
    await retryWhileAway(() => deferEntry(db, task, chain_id, entry, at, told))
    countRetry(services, entry)
    return { task: after({ ...entry, status: 'Waiting', retry_at: at, error: told }), outcome: retryAt(at, null) }
  }
  log.error({ ...about, code: problem.code }, 'an entry failed before it could run')
  const { code, message } = problem
  const end: EntryEnd = { index, status: 'Failed', error: { code, message } }
  await writeEnds(services, task, chain, [end])
  return { task: after(ended(entry, end)), outcome: failed }
}
