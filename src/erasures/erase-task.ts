// Takes one marked task away: it is stopped, its deliveries are taken back, its files and all of its rows deleted.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Trx } from '#db/database.ts'
import { eraseTaskRows } from '#db/erasures/erased-tasks.ts'
import { addCounts, type ErasureRow, insertLines } from '#db/erasures/erasure-rows.ts'
import { lockFiles } from '#db/tasks/retention.ts'
import { lockTask } from '#db/tasks/steer-rows.ts'
import { type WholeTask, wholeTask } from '#db/tasks/task-rows.ts'
import { transact } from '#db/transact.ts'
import { isProblem, Problem } from '#kit/errors.ts'
import { failpoint } from '#kit/failpoint.ts'
import { deleteEach } from '#storage/delete-each.ts'
import { cancelTask } from '#tasks/steer/steer.ts'
import type { TaskServices } from '#tasks/task-services.ts'
import { takeBackTask } from './take-back.ts'

const LOOK_MS = 150

/** How long the one who erases goes on. */
export interface Patience {
  /** A task that still runs is waited for until then, by performance.now(). */
  until: number
  /** Aborted: what is asked of a target or of the store ends, and the rest is left to who comes next. */
  signal: AbortSignal
}

/** False if something of it is left for later: a worker still has the task, or there is no time any more. */
export async function eraseTask(
  services: TaskServices,
  erasure: ErasureRow,
  taskId: string,
  { until, signal }: Patience,
): Promise<boolean> {
  const ended = await stop(services, taskId, until)
  if (ended === 'running') return false
  if (!ended) return true
  if (!(await takeBackTask(services, erasure, ended, signal))) return false
  await eraseRecord(services, erasure, taskId, signal)
  return true
}

/**
 * Nothing is taken back before the worker has let go: what it still writes would come back. The mark of the erasure keeps a task that
 * has ended from running again.
 */
async function stop(services: TaskServices, taskId: string, until: number): Promise<WholeTask | 'running' | undefined> {
  const { actor: _caller, ...ourselves } = services
  for (let isAsked = false; ; isAsked = true) {
    const task = await wholeTask(services.db, taskId)
    if (!task || task.ended_at !== null) return task
    if (!isAsked) await cancelTask(ourselves, taskId).catch(unlessEnded)
    else if (performance.now() > until) return 'running'
    else await sleep(LOOK_MS)
  }
}

function unlessEnded(error: unknown): void {
  if (!isProblem(error, 'wrong_state', 'not_found')) throw error
}

/** Files first: after an interruption the rows still tell of those that are left. */
async function eraseRecord(
  services: TaskServices,
  erasure: ErasureRow,
  taskId: string,
  signal: AbortSignal,
): Promise<void> {
  const deleted = new Set<string>()
  for (;;) {
    const left = await transact(services.db, trx => eraseRows(services, trx, erasure, taskId, deleted))
    if (left.length === 0) break
    const { gone, reason } = await deleteEach(services.blobs, left, signal)
    if (reason !== null) throw new Problem('unavailable', 'The file store can’t delete files now.')
    for (const blob of gone) deleted.add(blob)
  }
  failpoint('erase_task.after')
}

/** Returns the files that have to be deleted before: a picture may have been made of one since the last look. */
async function eraseRows(
  { queue }: TaskServices,
  trx: Trx,
  { erasure_id }: ErasureRow,
  taskId: string,
  deleted: ReadonlySet<string>,
): Promise<string[]> {
  if (!(await lockTask(trx, taskId))) return []
  const files = await lockFiles(trx, taskId)
  const left = files.filter(blob => !deleted.has(blob))
  if (left.length > 0) return left
  const { activities, idempotency_keys, callbacks } = await eraseTaskRows(trx, taskId)
  for (const { job_id, was_sent } of callbacks) if (job_id && !was_sent) await queue.discard('callback', job_id, trx)
  const sent = callbacks.filter(({ was_sent }) => was_sent)
  await insertLines(
    trx,
    sent.map(({ receiver }, index) => ({
      erasure_id,
      what: 'callback',
      task_id: taskId,
      index,
      configuration: null,
      adapter_name: null,
      receiver,
      state: 'kept',
      code: 'sent',
      reason: 'A callback that was sent lies with its receiver.',
      sealed: null,
      tries: 0,
      next_at: null,
    })),
  )
  await addCounts(trx, erasure_id, {
    tasks: 1,
    files: files.length,
    activities,
    callbacks: callbacks.length,
    idempotency_keys,
  })
  failpoint('erase_task.before')
  return []
}
