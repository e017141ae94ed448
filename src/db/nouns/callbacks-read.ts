// Reads callbacks with their attempts.
import { type RawBuilder, type Selectable, sql } from 'kysely'
import { isId } from '#kit/ids.ts'
import type { Queries } from '../database.ts'
import { newestFirst, type Page, type PageRequest } from '../page.ts'
import type { CallbackStatus, Tables } from '../tables.ts'
import { isSeen, requireFound, type Visible } from '../visible.ts'

type Row = Selectable<Tables['callbacks']>
type AttemptRow = Selectable<Tables['callback_attempts']>
/** What it is about, as long as the record of the task is kept. */
interface About {
  configurations: string[]
  /** What the request named its guest by. */
  guest: string | null
}
export type CallbackWithAttempts = Row & About & { attempts: AttemptRow[] }

interface CallbackFilters {
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
type CallbackRef = Pick<Row, 'callback_id' | 'receiver' | 'status'>

/** Few enough that PostgreSQL looks them up one by one. */
const IDS = 100

/** All that the filters find, oldest first, up to `most`. */
export async function listCallbackRefs(
  db: Queries,
  visible: Visible,
  { ids, task_ids, created_after, created_before, status, ...where }: ManyFilters,
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
  const parts = (among(ids, 't.callback_id') ?? [sql`true`]).flatMap(own =>
    (among(task_ids, 't.task_id') ?? [sql`true`]).map(other => sql`${own} and ${other}`),
  )
  const found: CallbackRef[] = []
  for (const part of parts) {
    const { rows } = await sql<CallbackRef>`
      select t.callback_id, t.receiver, t.status from callbacks t where ${sql.join([...conditions, part], sql` and `)}
      limit ${most - found.length}`.execute(db)
    found.push(...rows)
  }
  return found.sort((one, other) => (one.callback_id < other.callback_id ? -1 : 1))
}

/** Conditions that together let through the rows with one of these ids. */
function among(ids: readonly string[] | undefined, column: string): RawBuilder<unknown>[] | null {
  if (ids === undefined) return null
  const unique = [...new Set(ids.map(id => id.toLowerCase()))]
  return Array.from({ length: Math.ceil(unique.length / IDS) }, (_, at) => {
    const some = unique.slice(at * IDS, (at + 1) * IDS)
    return sql`${sql.ref(column)} = any(${some}::uuid[])`
  })
}

type ManyFilters = CallbackFilters & {
  ids?: readonly string[] | undefined
  task_ids?: readonly string[] | undefined
  receiver?: string | undefined
  status: CallbackStatus
}

export async function readCallback(db: Queries, visible: Visible, id: string): Promise<CallbackWithAttempts> {
  const query = db.selectFrom('callbacks').selectAll().where('callback_id', '=', id).where(isSeen(visible))
  const row = requireFound(isId(id) ? await query.executeTakeFirst() : undefined, 'callback', id)
  return (await withAttempts(db, [row]))[0] as CallbackWithAttempts
}

async function withAttempts(db: Queries, rows: Row[]): Promise<CallbackWithAttempts[]> {
  if (rows.length === 0) return []
  const ids = rows.map(row => row.callback_id)
  const attempts = Map.groupBy(
    await db.selectFrom('callback_attempts').selectAll().where('callback_id', 'in', ids).orderBy('at').execute(),
    attempt => attempt.callback_id,
  )
  const about = await aboutTasks(
    db,
    rows.map(row => row.task_id),
  )
  const nothing: About = { configurations: [], guest: null }
  return rows.map(row => ({
    ...row,
    ...(about.get(row.task_id) ?? nothing),
    attempts: attempts.get(row.callback_id) ?? [],
  }))
}

async function aboutTasks(db: Queries, taskIds: readonly string[]): Promise<Map<string, About>> {
  const { rows } = await sql<{ task_id: string; configuration: string; given: unknown }>`
    select t.task_id, case when t.is_group then c.configuration else t.configuration end as configuration,
      coalesce(c.extras -> 'email', c.extras -> 'qr_code', c.extras -> 'rfid', c.extras -> 'profile_id') as given
    from tasks t join chains c using (task_id) where t.task_id = any(${[...new Set(taskIds)]}::uuid[]) order by c.index`.execute(
    db,
  )
  const chains = Map.groupBy(rows, row => row.task_id)
  return new Map(
    [...chains].map(([taskId, list]) => [
      taskId,
      {
        configurations: list.map(row => row.configuration),
        guest: list.map(row => first(row.given)).find(Boolean) ?? null,
      },
    ]),
  )
}

/** Look-up values are a text, a number, or a list of them. */
function first(given: unknown): string | null {
  const [value] = [given].flat()
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null
}
