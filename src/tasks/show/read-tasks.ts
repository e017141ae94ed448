// Reading tasks and task groups, as far as the caller may see them.
import type { Db } from '#db/database.ts'
import { findVisibleTask } from '#db/tasks/task-lists.ts'
import type { WholeTask } from '#db/tasks/task-rows.ts'
import type { Visible } from '#db/visible.ts'
import { Problem } from '#kit/errors.ts'
import { isId } from '#kit/ids.ts'

export { listTasks } from '#db/tasks/task-lists.ts'
export { type WholeTask, wholeTask } from '#db/tasks/task-rows.ts'
export { visibleAmong } from '#db/tasks/tasks-changed.ts'

/** A foreign one answers like an unknown one. */
export async function readTask(db: Db, visible: Visible, isGroup: boolean, taskId: string): Promise<WholeTask> {
  const task = isId(taskId) ? await findVisibleTask(db, visible, isGroup, taskId.toLowerCase()) : undefined
  if (!task) throw new Problem('not_found', `There is no ${isGroup ? 'task group' : 'task'} "${taskId}".`)
  return task
}
