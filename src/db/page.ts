// Pages of a list, newest first, found by position in an index: the millionth row is as fast as the first.
import { type RawBuilder, type Selectable, sql } from 'kysely'
import { Problem } from '#kit/errors.ts'
import { isId } from '#kit/ids.ts'
import { isStorable } from '#kit/text.ts'
import type { Queries } from './database.ts'
import type { Tables } from './tables.ts'
import type { Visible } from './visible.ts'

export interface PageRequest {
  limit?: number | undefined
  cursor?: string | undefined
}

export interface Page<Item> {
  items: Item[]
  next_cursor: string | null
}

const ids = {
  experiences: 'experience_id',
  tokens: 'token_id',
  configurations: 'configuration_name',
  assets: 'name',
  profiles: 'profile_id',
  tasks: 'task_id',
  activities: 'activity_id',
  callbacks: 'callback_id',
  audit_events: 'event_id',
  keepsakes: 'keepsake_id',
} as const

type Listed = keyof typeof ids
type Row<T extends Listed> = Selectable<Tables[T]>

const withUuids: readonly Listed[] = [
  'tokens',
  'profiles',
  'tasks',
  'activities',
  'callbacks',
  'audit_events',
  'keepsakes',
]

/** Column of `tasks` that every index holds: whether the task is a group. */
const IN_EVERY_INDEX = 'is_group'

interface ListRequest<T extends Listed> {
  page: PageRequest
  /** Leave it out for a table whose rows belong to no experience. */
  visible?: Visible
  /** Whether everyone sees the rows that belong to no experience. */
  shared?: boolean
  /** Columns that must equal a value; undefined ones are ignored. */
  where?: { [C in keyof Row<T>]?: Row<T>[C] | undefined }
  /** Further conditions on the table, whose alias is `t`. */
  and?: RawBuilder<unknown>[]
  /** If the order is in an index of another table: that table joined with `t`, and its columns that equal the date and id of `t`. */
  by?: {
    from: RawBuilder<unknown>
    createdAt: RawBuilder<unknown>
    id: RawBuilder<unknown>
    /** The same of its experience, where PostgreSQL can't tell that they are equal. */
    experience?: RawBuilder<unknown>
  }
}

export async function newestFirst<T extends Listed>(
  db: Queries,
  table: T,
  { page, visible = null, shared = false, where = {}, and = [], by }: ListRequest<T>,
): Promise<Page<Row<T>>> {
  const limit = page.limit ?? 50
  const own = { from: sql`${sql.table(table)} t`, createdAt: sql`t.created_at`, id: sql.ref(`t.${ids[table]}`) }
  const { from, createdAt, id } = by ?? own
  const conditions = [sql`true`, ...and]
  const filters = Object.entries(where).filter(([, value]) => value !== undefined)
  // With a single filter its own index is always right. The leading `order by` column and `= any` make PostgreSQL use it.
  // With several filters PostgreSQL chooses.
  const narrowing = new Set([...filters.map(([column]) => column), ...(visible ? ['experience_id'] : [])])
  narrowing.delete(IN_EVERY_INDEX)
  const only = narrowing.size === 1 && and.length === 0 && !by ? sql.ref(`t.${[...narrowing][0]}`) : null
  for (const [column, value] of filters)
    if (value === null) conditions.push(sql`${sql.ref(`t.${column}`)} is null`)
    else
      conditions.push(
        only && column !== IN_EVERY_INDEX ? sql`${only} = any(${[value]})` : sql`${sql.ref(`t.${column}`)} = ${value}`,
      )
  if (page.cursor !== undefined) {
    const after = readCursor(table, page.cursor)
    conditions.push(sql`(${createdAt}, ${id}) < (${after.createdAt}, ${after.id})`)
  }
  const tail = (order: Pick<typeof own, 'createdAt' | 'id'>, first = sql``) =>
    sql`order by ${first} ${order.createdAt} desc, ${order.id} desc limit ${limit + 1}`
  const select = (condition: RawBuilder<unknown>) =>
    sql<
      Positioned<T>
    >`select t.*, (extract(epoch from ${createdAt}) * 1000000)::bigint::text as position from ${from} where ${sql.join([...conditions, condition], sql` and `)} ${tail({ createdAt, id }, only ? sql`${only},` : sql``)}`
  // One walk down the index for each experience: what others have is never read.
  const each = sql`select t.* from unnest(${[...(visible ?? [])]}::text[]) v(experience) cross join lateral
    (${select(only ? sql`${only} = any(array[v.experience])` : sql`${by?.experience ?? sql`t.experience_id`} = v.experience`)}) t`
  const all = shared ? sql`select t.* from (${each} union all (${select(sql`t.experience_id is null`)})) t` : each
  const query = visible === null ? select(sql`true`) : sql<Positioned<T>>`${all} ${tail(own)}`
  const { rows } = await query.execute(db)
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return {
    items: rows.slice(0, limit).map(({ position: _position, ...row }) => row as unknown as Row<T>),
    next_cursor: last ? writeCursor(table, last) : null,
  }
}

type Versioned = 'configuration_versions' | 'asset_versions'

/** A page of the versions of one thing, the latest first. `and`: a further condition on the table, whose alias is `t`. */
export async function latestFirst<T extends Versioned>(
  db: Queries,
  table: T,
  { page, history, and }: { page: PageRequest; history: string; and: RawBuilder<unknown> },
): Promise<Page<Selectable<Tables[T]>>> {
  const limit = page.limit ?? 50
  const before = page.cursor === undefined ? MOST_VERSION : readVersionCursor(table, page.cursor)
  const { rows } = await sql<Selectable<Tables[T]> & { version: number }>`
    select t.* from ${sql.table(table)} t where t.history = ${history} and t.version < ${before} and ${and}
    order by t.version desc limit ${limit + 1}`.execute(db)
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return {
    items: rows.slice(0, limit),
    next_cursor: last ? Buffer.from(JSON.stringify([table, last.version])).toString('base64url') : null,
  }
}

/** The largest that PostgreSQL's integer holds. */
const MOST_VERSION = 2_147_483_647

function readVersionCursor(table: Versioned, cursor: string): number {
  const parts = cursorParts(cursor)
  const [list, version] = parts
  if (list !== table || !Number.isInteger(version) || (version as number) < 1 || (version as number) > MOST_VERSION)
    throw badCursor()
  return version as number
}

/** PostgreSQL keeps microseconds, a `Date` milliseconds: with those alone a page would leave out what came in the same one. */
type Positioned<T extends Listed> = Row<T> & { position: string }

function writeCursor<T extends Listed>(table: T, row: Positioned<T>): string {
  const { position, [ids[table] as string]: id } = row as unknown as Record<string, string>
  return Buffer.from(JSON.stringify([table, position, id])).toString('base64url')
}

/** The year 9999. */
const MOST_MICROSECONDS = 253_402_300_800_000_000n

/** A cursor of an earlier version has milliseconds, as a number. */
function readCursor(table: Listed, cursor: string): { createdAt: RawBuilder<unknown>; id: string } {
  const bad = badCursor()
  const [list, at, id] = cursorParts(cursor)
  if (list !== table || typeof id !== 'string' || !isStorable(id) || (withUuids.includes(table) && !isId(id))) throw bad
  const isMicroseconds = typeof at === 'string' && /^\d{1,19}$/.test(at)
  if (!isMicroseconds && !(typeof at === 'number' && Number.isInteger(at) && at >= 0)) throw bad
  const microseconds = isMicroseconds ? BigInt(at) : BigInt(at as number) * 1000n
  if (microseconds > MOST_MICROSECONDS) throw bad
  return { createdAt: sql`timestamptz 'epoch' + ${String(microseconds)}::bigint * interval '1 microsecond'`, id }
}

const badCursor = (): Problem =>
  new Problem('bad_cursor', 'cursor: give back the next_cursor of this list, unchanged.', {
    errors: [{ field: 'cursor', message: 'give back the next_cursor of this list, unchanged' }],
  })

function cursorParts(cursor: string): unknown[] {
  let parts: unknown
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch {
    throw badCursor()
  }
  if (!Array.isArray(parts)) throw badCursor()
  return parts
}
