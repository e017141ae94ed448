// Ends what a run will not reach any more, so that every entry has come to a state when the task does.
import type { Db } from '#db/database.ts'
import { type EntryEnd, endEntries } from '#db/tasks/entry-rows.ts'
import { isProblem, Problem } from '#kit/errors.ts'
import { shortened } from '#kit/text.ts'
import { type Chain, type Entry, type Task, withEntries } from '../entry/loaded.ts'
import { ended, hasEnded } from './run.ts'

/**
 * `reason`: why the run was cut off, if it was. Every entry that had begun says so. Where none had, the first that waits does: when the
 * time was up one of the whole task, when it was cancelled one of each chain. What else was not reached is skipped. Answers the task as it is then.
 */
export async function endTheRest(db: Db, task: Task, reason: unknown): Promise<Task> {
  const isCancelled = isProblem(reason, 'cancelled')
  const cutOff = isCancelled ? cancelled : endedBy(reason)
  // An entry that failed for it has said so already.
  let told = task.chains.some(chain => chain.entries.some(entry => hasEnded(entry) && saysSo(entry, reason)))
  const chains: Chain[] = []
  for (const chain of task.chains) {
    const open = chain.entries.filter(entry => !hasEnded(entry))
    const begun = open.filter(hasBegun)
    const first = told && !isCancelled ? [] : open.slice(0, 1)
    const saying = reason === undefined ? [] : begun.length > 0 ? begun : first
    told ||= saying.length > 0
    const ends = open.map((entry): EntryEnd => {
      const { index } = entry
      return saying.includes(entry) ? { index, ...cutOff(entry) } : { index, status: 'Skipped' }
    })
    if (ends.length > 0) await endEntries(db, task, { chain_id: chain.chain_id, ends, blobs: [] })
    chains.push(
      withEntries(
        chain,
        open.map((entry, at) => ended(entry, ends[at] as EntryEnd)),
      ),
    )
  }
  return { ...task, chains }
}

const saysSo = ({ error }: Entry, reason: unknown): boolean =>
  reason instanceof Problem && error?.message === reason.message

/** It runs, or it was tried and waits to be tried again. */
const hasBegun = ({ status, attempts, error }: Entry): boolean => status === 'Running' || attempts > 0 || error !== null

type End = Omit<EntryEnd, 'index'>

const cancelled = (entry: Entry): End => ({
  status: 'Cancelled',
  error: { code: 'cancelled', message: shortened(`Cancelled ${whenCancelled(entry)}`) },
})

function whenCancelled(entry: Entry): string {
  if (entry.status === 'Running') return 'while it ran'
  return hasBegun(entry) ? `while it waited for its next attempt.${lastError(entry)}` : 'before it ran'
}

const endedBy =
  (reason: unknown) =>
  (entry: Entry): End => {
    const [code, message] =
      reason instanceof Problem ? [reason.code, reason.message] : ['internal', 'It was interrupted.']
    return { status: 'Failed', error: { code, message: shortened(message + lastError(entry)) } }
  }

/** Of one that was put off. */
const lastError = ({ status, error }: Entry): string =>
  status === 'Waiting' && error ? ` The last attempt failed: ${error.message}` : ''
