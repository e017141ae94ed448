// Keeps in the audit what a caller does to a task, and refuses what nobody may do any more.
import type { Trx } from '#db/database.ts'
import { recordChange } from '#db/nouns/audit-rows.ts'
import type { AuditAction } from '#db/tables.ts'
import type { WholeTask } from '#db/tasks/task-rows.ts'
import { Problem } from '#kit/errors.ts'
import type { TaskServices } from './task-services.ts'

/** `after`: what is true of the task now. Without an actor the service itself did it, and nothing is kept. */
export async function recordSteering(
  { actor }: Pick<TaskServices, 'actor'>,
  trx: Trx,
  { task_id, is_group, experience_id, status, run }: WholeTask,
  action: AuditAction,
  after: object,
): Promise<void> {
  if (!actor) return
  const object = is_group ? 'taskgroup' : 'task'
  await recordChange(trx, actor, { action, object, object_id: task_id, experience_id, before: { status, run }, after })
}

/** Throws for a task that an erasure is about to take away. */
export function refuseErased({ erasing, is_group }: WholeTask): void {
  if (erasing !== null) throw new Problem('wrong_state', `The ${is_group ? 'task group' : 'task'} is being erased.`)
}

/** The sweeper may have deleted the task since the caller saw it. */
export function requireTask(task: WholeTask | undefined, taskId: string, noun = 'task'): WholeTask {
  if (!task) throw new Problem('not_found', `There is no ${noun} "${taskId}" any more.`)
  return task
}
