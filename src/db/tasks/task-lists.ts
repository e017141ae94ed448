// Reads and lists the tasks and task groups that the caller may see.
import { sql } from 'kysely'
import { isId } from '#kit/ids.ts'
import type { Db } from '../database.ts'
import { newestFirst, type Page, type PageRequest } from '../page.ts'
import type { TaskStatus } from '../tables.ts'
import { found, type Visible } from '../visible.ts'
import { type TaskRow, type WholeTask, wholeTask, withChains } from './task-rows.ts'

interface TaskFilters {
  status?: TaskStatus | undefined
  configuration?: string | undefined
  experience_id?: string | undefined
  profile_id?: string | undefined
  created_after?: string | undefined
  created_before?: string | undefined
}

export async function listTasks(
  db: Db,
  visible: Visible,
  isGroup: boolean,
  filters: TaskFilters,
  page: PageRequest,
): Promise<Page<WholeTask>> {
  const { status, configuration, experience_id, profile_id, created_after, created_before } = filters
  const ofGroups = isGroup && configuration !== undefined
  const createdAt = ofGroups ? sql`c.group_created_at` : sql`t.created_at`
  const and = [
    // As an array, because one guest has few tasks: PostgreSQL then looks them up by id instead of scanning the list.
    ...(profile_id === undefined
      ? []
      : [sql`t.task_id = any (array(select g.task_id from task_guests g where g.profile_id = ${profile_id}))`]),
    ...(created_after === undefined ? [] : [sql`${createdAt} >= ${created_after}`]),
    ...(created_before === undefined ? [] : [sql`${createdAt} < ${created_before}`]),
    // A group names a configuration at most once, so the join gives no duplicates.
    ...(ofGroups ? [sql`c.configuration = ${configuration} and c.group_created_at is not null`] : []),
  ]
  const where = {
    is_group: ofGroups ? undefined : isGroup,
    status,
    experience_id,
    ...(isGroup ? {} : { configuration }),
  }
  const by = {
    from: sql`chains c join tasks t on t.task_id = c.task_id and t.experience_id = c.group_experience_id`,
    createdAt,
    id: sql`c.task_id`,
  }
  const list = { page, visible, where, and, ...(ofGroups ? { by } : {}) }
  const { items, next_cursor } = await newestFirst(db, 'tasks', list)
  return { items: await withChains(db, items as unknown as TaskRow[]), next_cursor }
}

export async function readTask(db: Db, visible: Visible, isGroup: boolean, taskId: string): Promise<WholeTask> {
  const task = isId(taskId) ? await wholeTask(db, taskId.toLowerCase(), visible) : undefined
  return found(task?.is_group === isGroup ? task : undefined, isGroup ? 'task group' : 'task', taskId)
}

/** Which of these tasks the caller may see. */
export async function listVisible(
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
