// Deletes a task that has ended: its record, its callbacks and its files.
import { lockFiles } from '#db/tasks/retention.ts'
import { lockTask } from '#db/tasks/steer-rows.ts'
import { deleteTaskRows, lockCallbacksOf } from '#db/tasks/task-deletion.ts'
import type { WholeTask } from '#db/tasks/task-rows.ts'
import { transact } from '#db/transact.ts'
import { Problem } from '#kit/errors.ts'
import { failpoint } from '#kit/failpoint.ts'
import { newUploads } from '#uploads/uploads.ts'
import { recordSteering, refuseErased, requireTask } from '../record-steering.ts'
import type { TaskServices } from '../task-services.ts'

export async function deleteTask(services: TaskServices, { task_id, is_group }: WholeTask): Promise<void> {
  const { db, blobs, log } = services
  const noun = is_group ? 'task group' : 'task'
  const files = await transact(db, async trx => {
    const task = requireTask(await lockTask(trx, task_id), task_id, noun)
    refuseErased(task)
    if (task.ended_at === null)
      throw new Problem(
        'wrong_state',
        `The ${noun} is ${task.status}; only one that has ended can be deleted. Cancel it first.`,
      )
    if ((await lockCallbacksOf(trx, task_id)).includes('Waiting'))
      throw new Problem(
        'wrong_state',
        `A callback of the ${noun} is Waiting; it can be deleted once that is Delivered or GivenUp.`,
      )
    const files = await lockFiles(trx, task_id)
    await deleteTaskRows(trx, task_id, files)
    await recordSteering(services, trx, task, 'delete', { deleted: true })
    failpoint('delete_task.before')
    return files
  })
  failpoint('delete_task.after')
  // The record is gone in any case. The sweeper deletes what is left, as it does with uploads whose request died.
  await newUploads(db, blobs)
    .drop(files)
    .catch(error => log.warn({ err: error, task_id }, 'files of a deleted task were left to the sweeper'))
}
