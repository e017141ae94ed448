// Wakes tasks that wait: for somebody's consent, or for their next attempt.
import type { Trx } from '#db/database.ts'
import { dueForConsent, type Waiter } from '#db/guests/consent-rows.ts'
import { databaseTime } from '#db/ping.ts'
import { dueNow, lockTask } from '#db/tasks/steer-rows.ts'
import { setJob } from '#db/tasks/task-claims.ts'
import { type WholeTask, wholeTask } from '#db/tasks/task-rows.ts'
import { transact } from '#db/transact.ts'
import { Problem } from '#kit/errors.ts'
import { hasEnded } from '../entry/loaded.ts'
import { recordSteering, refuseErased, requireTask } from '../record-steering.ts'
import type { TaskServices } from '../task-services.ts'

/** Call it in the transaction that writes a yes or a no. The tasks that wait for one of these are due at once. */
export async function wakeForConsent(
  { queue }: Pick<TaskServices, 'queue'>,
  trx: Trx,
  waiters: readonly Waiter[],
): Promise<void> {
  for (const task of await dueForConsent(trx, waiters)) await queueAgain({ queue }, trx, task)
}

async function queueAgain(
  { queue }: Pick<TaskServices, 'queue'>,
  trx: Trx,
  { task_id, lane, experience_id, job_id }: Pick<WholeTask, 'task_id' | 'lane' | 'experience_id' | 'job_id'>,
): Promise<void> {
  const ticket = await queue.takeTicket(lane, experience_id, trx)
  if (job_id) await queue.discard(lane, job_id, trx)
  await setJob(trx, task_id, await queue.send(trx, ticket, { task_id }))
}

/** Makes the next attempt due at once. The attempts that were made still count. */
export async function tryTaskNow(services: TaskServices, taskId: string): Promise<WholeTask> {
  return transact(services.db, async trx => {
    const task = requireTask(await lockTask(trx, taskId), taskId)
    refuseErased(task)
    if (!isPutOff(task, await databaseTime(trx)))
      throw new Problem(
        'wrong_state',
        `The ${task.is_group ? 'task group' : 'task'} is ${task.status} and waits for no other attempt; only one with an entry whose retry_at is to come, and that no worker has in hand, can be tried now.`,
      )
    await dueNow(trx, taskId)
    // A task without a job waits for a place of its experience, and is taken up when there is one.
    if (task.job_id) await queueAgain(services, trx, task)
    await recordSteering(services, trx, task, 'retry', { status: task.status, run: task.run, tried_now: true })
    return (await wholeTask(trx, taskId)) as WholeTask
  })
}

/** Waits for the time of an attempt, in nobody's hands. */
const isPutOff = (task: WholeTask, now: Date): boolean =>
  !hasEnded(task) &&
  task.worker_id === null &&
  !task.cancel_requested &&
  task.chains.some(({ entries }) =>
    entries.some(entry => !hasEnded(entry) && entry.retry_at !== null && entry.retry_at > now),
  )
