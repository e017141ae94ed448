// Reads callbacks with their attempts.
import { type RawBuilder, type Selectable, sql } from 'kysely'
import { isId } from '#kit/ids.ts'
import type { Queries } from '../database.ts'
import { newestFirst, type Page, type PageRequest } from '../page.ts'
import type { CallbackStatus, Tables } from '../tables.ts'
import { found, isSeen, type Visible } from '../visible.ts'

type Row = Selectable<Tables['callbacks']>
type AttemptRow = Selectable<Tables['callback_attempts']>
export type CallbackWithAttempts = Row & { attempts: AttemptRow[] }

export interface CallbackFilters {
  task_id?: string | undefined
  status?: CallbackStatus | undefined
  experience_id?: string | undefined
  created_after?: string | undefined
  created_before?: string | undefined
}

export async function listCallbacks(
  db: Queries,
  visible: Visible,
  filters: CallbackFilters,
  page: PageRequest,
): Promise<Page<CallbackWithAttempts>> {
  const { created_after, created_before, ...where } = filters
  const and = timesOf({ created_after, created_before })
  const { items, next_cursor } = await newestFirst(db, 'callbacks', { page, visible, where, and })
  return { items: await withAttempts(db, items), next_cursor }
}

const timesOf = ({ created_after, created_before }: CallbackFilters): RawBuilder<unknown>[] => [
  ...(created_after === undefined ? [] : [sql`t.created_at >= ${created_after}`]),
  ...(created_before === undefined ? [] : [sql`t.created_at < ${created_before}`]),
]

/** What is needed to send one again. */
export type CallbackRef = Pick<Row, 'callback_id' | 'receiver' | 'status'>

/** Few enough that PostgreSQL looks them up one by one. */
const IDS = 100

/** All that the filters find, oldest first, up to `most`. */
export async function listCallbackRefs(
  db: Queries,
  visible: Visible,
  { ids, created_after, created_before, status, ...where }: ManyFilters,
  most: number,
): Promise<CallbackRef[]> {
  const conditions = [
    // Written out, so that PostgreSQL can see which partial indexes fit.
    sql`t.status = ${sql.lit(status)}`,
    ...(visible === null ? [] : [isSeen(visible, 't.experience_id')]),
    ...timesOf({ created_after, created_before }),
    ...Object.entries(where).flatMap(([column, value]) =>
      value === undefined ? [] : [sql`${sql.ref(`t.${column}`)} = ${value}`],
    ),
  ]
  const unique = ids && [...new Set(ids.map(id => id.toLowerCase()))]
  const parts = unique
    ? Array.from({ length: Math.ceil(unique.length / IDS) }, (_, at) => {
        const some = unique.slice(at * IDS, (at + 1) * IDS)
        return sql`t.callback_id = any(${some}::uuid[])`
      })
    : [sql`true`]
  const found: CallbackRef[] = []
  for (const part of parts) {
    const { rows } = await sql<CallbackRef>`
      select t.callback_id, t.receiver, t.status from callbacks t where ${sql.join([...conditions, part], sql` and `)}
      limit ${most - found.length}`.execute(db)
    found.push(...rows)
  }
  return found.sort((one, other) => (one.callback_id < other.callback_id ? -1 : 1))
}

type ManyFilters = CallbackFilters & { ids?: readonly string[] | undefined; status: CallbackStatus }

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
