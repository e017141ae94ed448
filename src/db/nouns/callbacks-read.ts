// Reading callbacks with their attempts.
import type { Selectable } from 'kysely'
import type { Queries } from '../database.ts'
import { newestFirst, type Page, type PageRequest } from '../page.ts'
import type { CallbackStatus, Tables } from '../tables.ts'
import { isSeen, type Visible } from '../visible.ts'

type Row = Selectable<Tables['callbacks']>
type AttemptRow = Selectable<Tables['callback_attempts']>
export type CallbackWithAttempts = Row & { attempts: AttemptRow[] }

export interface CallbackFilters {
  task_id?: string | undefined
  status?: CallbackStatus | undefined
  experience_id?: string | undefined
}

export async function listCallbacks(
  db: Queries,
  visible: Visible,
  where: CallbackFilters,
  page: PageRequest,
): Promise<Page<CallbackWithAttempts>> {
  const { items, next_cursor } = await newestFirst(db, 'callbacks', { page, visible, where })
  return { items: await withAttempts(db, items), next_cursor }
}

export async function findCallbackWithAttempts(
  db: Queries,
  visible: Visible,
  id: string,
): Promise<CallbackWithAttempts | undefined> {
  const query = db.selectFrom('callbacks').selectAll().where('callback_id', '=', id).where(isSeen(visible))
  const row = await query.executeTakeFirst()
  return row && (await withAttempts(db, [row]))[0]
}

async function withAttempts(db: Queries, rows: Row[]): Promise<CallbackWithAttempts[]> {
  if (rows.length === 0) return []
  const ids = rows.map(row => row.callback_id)
  const attempts = Map.groupBy(
    await db.selectFrom('callback_attempts').selectAll().where('callback_id', 'in', ids).orderBy('at').execute(),
    attempt => attempt.callback_id,
  )
  return rows.map(row => ({ ...row, attempts: attempts.get(row.callback_id) ?? [] }))
}
