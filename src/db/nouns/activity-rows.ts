// Reads activities.
import type { Selectable } from 'kysely'
import { isId } from '#kit/ids.ts'
import type { Queries } from '../database.ts'
import { newestFirst, type Page, type PageRequest } from '../page.ts'
import type { Tables } from '../tables.ts'
import { isSeen, requireFound, type Visible } from '../visible.ts'

export type ActivityRow = Selectable<Tables['activities']>

type ActivityFilters = {
  [C in 'owner_id' | 'experience_id' | 'activity_type' | 'task_id']?: string | undefined
}

export const listActivities = (
  db: Queries,
  visible: Visible,
  where: ActivityFilters,
  page: PageRequest,
): Promise<Page<ActivityRow>> => newestFirst(db, 'activities', { page, visible, where })

export async function readActivity(db: Queries, visible: Visible, id: string): Promise<ActivityRow> {
  const query = db.selectFrom('activities').selectAll().where('activity_id', '=', id).where(isSeen(visible))
  return requireFound(isId(id) ? await query.executeTakeFirst() : undefined, 'activity', id)
}
