// Reading activities.
import type { Selectable } from 'kysely'
import type { Queries } from '../database.ts'
import { newestFirst, type Page, type PageRequest } from '../page.ts'
import type { Tables } from '../tables.ts'
import { isSeen, type Visible } from '../visible.ts'

export type ActivityRow = Selectable<Tables['activities']>

export type ActivityFilters = {
  [C in 'owner_id' | 'experience_id' | 'activity_type' | 'task_id']?: string | undefined
}

export const listActivities = (
  db: Queries,
  visible: Visible,
  where: ActivityFilters,
  page: PageRequest,
): Promise<Page<ActivityRow>> => newestFirst(db, 'activities', { page, visible, where })

export const findActivity = (db: Queries, visible: Visible, id: string): Promise<ActivityRow | undefined> =>
  db.selectFrom('activities').selectAll().where('activity_id', '=', id).where(isSeen(visible)).executeTakeFirst()
