// Which of some changed tasks a caller may know of.
import type { Db } from '../database.ts'
import type { Visible } from '../visible.ts'

export async function visibleAmong(
  db: Db,
  visible: Visible,
  isGroup: boolean,
  taskIds: readonly string[],
): Promise<string[]> {
  if (taskIds.length === 0) return []
  let query = db.selectFrom('tasks').select('task_id').where('is_group', '=', isGroup).where('task_id', 'in', taskIds)
  if (visible !== null) query = query.where('experience_id', 'in', visible.length > 0 ? visible : [''])
  return (await query.execute()).map(({ task_id }) => task_id)
}
