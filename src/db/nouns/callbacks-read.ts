// Reads callbacks with their attempts.
import type { Selectable } from 'kysely'
import { isId } from '#kit/ids.ts'
import type { Queries } from '../database.ts'
import { newestFirst, type Page, type PageRequest } from '../page.ts'
import type { CallbackStatus, Tables } from '../tables.ts'
import { found, isSeen, type Visible } from '../visible.ts'

type Row = Selectable<Tables['callbacks']>
type AttemptRow = Selectable<Tables['callback_attempts']>
export type CallbackWithAttempts = Row & { attempts: AttemptRow[] }

interface CallbackFilters {
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

export async function readCallback(db: Queries, visible: Visible, id: string): Promise<CallbackWithAttempts> {
  const query = db.selectFrom('callbacks').selectAll().where('callback_id', '=', id).where(isSeen(visible))
  const row = found(isId(id) ? await query.executeTakeFirst() : undefined, 'callback', id)
  return (await withAttempts(db, [row]))[0] as CallbackWithAttempts
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
