// Ends the entries that a run will not reach, so that every entry has a final state when the task has one.
import { type EntryEnd, endEntries } from '#db/tasks/entry-rows.ts'
import { isProblem, Problem } from '#kit/errors.ts'
import { shortened } from '#kit/text.ts'
import { type Chain, type Entry, hasEnded, type Task, withEntries } from '../entry/loaded.ts'
import type { TaskServices } from '../task-services.ts'
import { countEnds, ended } from './write-ends.ts'

/**
 * `reason`: why the run was cut off; undefined when it was not. Each open entry that had begun records the reason. Where none had begun,
 * the first open entry records it: one for the whole task after a time limit, one per chain after a cancel. The other open entries
 * are skipped.
 */
export async function endTheRest(
  services: Pick<TaskServices, 'db' | 'meters'>,
  task: Task,
  reason: unknown,
): Promise<Task> {
  const isCancelled = isProblem(reason, 'cancelled')
  const cutOff = isCancelled ? cancelled : endedBy(reason)
  // A failed entry may carry the reason already.
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
    if (ends.length > 0) await endEntries(services.db, task, { chain_id: chain.chain_id, ends, blobs: [] })
    countEnds(services, chain, ends)
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
  reason instanceof Problem && error?.message.includes(reason.message) === true

/** Runs now, or waits for another attempt. */
const hasBegun = (entry: Entry): boolean =>
  entry.status === 'Running' || entry.attempts > 0 || (entry.error !== null && !asks(entry))

/** It waits for the word of its guests. */
const asks = ({ error }: Entry): boolean => error?.code === 'needs_consent'

type End = Omit<EntryEnd, 'index'>

const cancelled = (entry: Entry): End => ({
  status: 'Cancelled',
  error: { code: 'cancelled', message: shortened(`Cancelled ${whenCancelled(entry)}`) },
  forgets: isInDoubt(entry),
})

/** It was cut off in the middle of a delivery that may have arrived. Whoever runs it again is told, so the next run sends it anew. */
const isInDoubt = ({ status, error }: Entry): boolean => status === 'Running' && error?.code === 'outcome_unknown'

function whenCancelled(entry: Entry): string {
  if (isInDoubt(entry)) return `while it ran. ${entry.error?.message}`
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

/** Only a deferred entry has one. */
const lastError = (entry: Entry): string =>
  entry.status === 'Waiting' && entry.error && !asks(entry) ? ` The last attempt failed: ${entry.error.message}` : ''
