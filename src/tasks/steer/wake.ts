// Wakes tasks that wait for somebody's consent.
import type { Trx } from '#db/database.ts'
import { dueForConsent, type Waiter } from '#db/guests/consent-rows.ts'
import { setJob } from '#db/tasks/task-claims.ts'
import type { TaskServices } from '../task-services.ts'

/** Call it in the transaction that writes a consent. The tasks that wait for one of these are due at once. */
export async function wakeForConsent(
  { queue }: Pick<TaskServices, 'queue'>,
  trx: Trx,
  waiters: readonly Waiter[],
): Promise<void> {
  for (const { task_id, lane, experience_id, job_id } of await dueForConsent(trx, waiters)) {
    const ticket = await queue.turn(lane, experience_id, trx)
    if (job_id) await queue.discard(lane, job_id, trx)
    await setJob(trx, task_id, await queue.send(trx, { ...ticket, lane }, { task_id }))
  }
}
