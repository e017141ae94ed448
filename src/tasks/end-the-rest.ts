// Ends what a run will not reach any more, so that every entry has come to a state when the task does.
import type { Db } from '#db/database.ts'
import { type EntryEnd, endEntries } from '#db/entries.ts'
import type { WholeTask } from '#db/tasks.ts'
import { isProblem, Problem } from '#kit/errors.ts'
import { applyEnd } from './run.ts'

/** `reason`: why the run was cut off, if it was. Of a cancelled task one entry says so; what was not reached is skipped. */
export async function endTheRest(db: Db, task: WholeTask, reason: unknown): Promise<void> {
  const cancelled = isProblem(reason, 'cancelled')
  const running = task.chains.some(chain => chain.entries.some(entry => entry.status === 'Running'))
  let toBlame = cancelled && !running
  for (const chain of task.chains) {
    const ends: EntryEnd[] = []
    for (const { index, status } of chain.entries) {
      if (status === 'Running')
        ends.push(
          cancelled ? cutOff(index, 'Cancelled while it ran') : { index, status: 'Failed', error: errorOf(reason) },
        )
      else if (status === 'Waiting' && toBlame) {
        toBlame = false
        ends.push(cutOff(index, 'Cancelled before it ran'))
      } else if (status === 'Waiting') ends.push({ index, status: 'Skipped' })
    }
    if (ends.length > 0) await endEntries(db, task, { chain_id: chain.chain_id, ends, blobs: [] })
    for (const end of ends) applyEnd(chain, end)
  }
}

const cutOff = (index: number, message: string): EntryEnd => ({
  index,
  status: 'Cancelled',
  error: { code: 'cancelled', message },
})

const errorOf = (reason: unknown): { code: string; message: string } =>
  reason instanceof Problem
    ? { code: reason.code, message: reason.message }
    : { code: 'internal', message: 'It was interrupted.' }
