// Finds things by a part of what people call them. Every statement reads a bounded number of rows, however many there are.
import { type RawBuilder, sql } from 'kysely'
import { Problem } from '#kit/errors.ts'
import type { Db, Trx } from '../database.ts'
import { type Asset, readAssetsOf } from '../nouns/asset-rows.ts'
import { type ConfigurationRow, readConfigurationsOf } from '../nouns/configuration-rows.ts'
import { type ProfileRow, readProfilesOf } from '../nouns/profile-rows.ts'
import { tagDigits } from '../nouns/profiles-lookup.ts'
import type { Visible } from '../visible.ts'
import { type TaskRow, type WholeTask, withChains } from './task-rows.ts'

export interface Found<Item> {
  items: Item[]
  /** There are more than these, or more had to be looked at than one search does. */
  more: boolean
}

interface SearchResult {
  profiles: Found<ProfileRow>
  tasks: Found<WholeTask>
  taskgroups: Found<WholeTask>
  configurations: Found<ConfigurationRow>
  assets: Found<Asset>
}

const MOST_FOUND = 20
/** Rows that hold all pieces of the text, though perhaps not side by side. More of them are not looked at. */
const CANDIDATES = 1_000
/** Configurations of one group. */
const CHAINS = 64
const TIMEOUT_MS = 3_000
const QUERY_CANCELED = '57014'

/** `text`: two characters or more. */
export async function readSearch(db: Db, visible: Visible, text: string): Promise<SearchResult> {
  try {
    return await db.transaction().execute(trx => search(trx, visible, text))
  } catch (error) {
    if ((error as { code?: string }).code !== QUERY_CANCELED) throw error
    throw new Problem('unavailable', 'The search took too long. Give more characters, or try again shortly.', {
      retryAfterSeconds: 5,
    })
  }
}

async function search(trx: Trx, visible: Visible, text: string): Promise<SearchResult> {
  await sql`select set_config('statement_timeout', ${String(TIMEOUT_MS)}, true)`.execute(trx)
  const ids = await byPart(trx, visible, text)
  // From here on rows are found by keys and ranges of keys.
  await onlyBitmaps(trx, false)
  const tasks = await tasksBy(trx, visible, text, false, [])
  const groups = await tasksBy(trx, visible, text, true, ids.configurations.items)
  return {
    profiles: await whole(ids.profiles, list => readProfilesOf(trx, list), 'profile_id'),
    tasks,
    taskgroups: groups,
    configurations: await whole(ids.configurations, list => readConfigurationsOf(trx, list), 'configuration_name'),
    assets: await whole(ids.assets, list => readAssetsOf(trx, list), 'name'),
  }
}

/**
 * Leaves PostgreSQL no choice but the indexes of pieces, which it reads as bitmaps: going through a table in some other order is fast
 * when the text is frequent and takes for ever when it is not, and it can't know.
 */
async function onlyBitmaps(trx: Trx, only: boolean): Promise<void> {
  const value = only ? 'off' : 'on'
  await sql`
    select set_config('enable_seqscan', ${value}, true), set_config('enable_indexscan', ${value}, true),
      set_config('enable_indexonlyscan', ${value}, true)`.execute(trx)
}

async function byPart(trx: Trx, visible: Visible, text: string) {
  await onlyBitmaps(trx, true)
  const named = (table: string, name: string) => ({
    table: sql.table(table),
    id: sql.ref(name),
    text: sql.ref(name),
    at: sql`created_at`,
  })
  const lookups = await parts(trx, visible, text, {
    table: sql`profile_lookups`,
    id: sql`profile_id`,
    text: sql`value`,
    // Ids of profiles are made in the order of time.
    at: sql`profile_id`,
  })
  const digits = tagDigits(text)
  const tags =
    digits === null
      ? { items: [], more: false }
      : await parts(trx, visible, digits, {
          table: sql`profile_lookups`,
          id: sql`profile_id`,
          text: sql`lookup_same(kind, key)`,
          at: sql`profile_id`,
          where: sql`kind = 'rfid'`,
        })
  const attributes = await parts(trx, visible, text, {
    table: sql`profiles`,
    id: sql`profile_id`,
    text: sql`search_texts(attributes)`,
    at: sql`profile_id`,
  })
  return {
    profiles: joined(joined(lookups, tags), attributes),
    configurations: await parts(trx, visible, text, named('configurations', 'configuration_name'), true),
    assets: await parts(trx, visible, text, named('assets', 'name'), true),
  }
}

interface Searched {
  table: RawBuilder<unknown>
  id: RawBuilder<unknown>
  /** As its index has it. */
  text: RawBuilder<unknown>
  /** The last ones are shown first. */
  at: RawBuilder<unknown>
  where?: RawBuilder<unknown>
}

/** How `search_grams` names the experience of what belongs to none. */
const NONE = ''

/** The ids of rows of which a part of the text is the one that is looked for. */
async function parts(
  trx: Trx,
  visible: Visible,
  wanted: string,
  { table, id, text, at, where = sql`true` }: Searched,
  shared = false,
): Promise<Found<string>> {
  const candidates = (experience: RawBuilder<unknown>) => sql`
    select ${id} as id, ${text} as text, ${at} as at, experience_id as experience from ${table}
    where search_grams(experience_id, ${text}) @> search_terms(${experience}, ${wanted}) and ${where} limit ${CANDIDATES}`
  const all =
    visible === null
      ? candidates(sql`null`)
      : sql`select c.* from unnest(${[...visible, ...(shared ? [NONE] : [])]}::text[]) v(experience) cross join lateral (${candidates(sql`v.experience`)}) c`
  const { rows } = await sql<{ ids: string[]; seen: number }>`
    with candidates as materialized (${all}), hits as (
      select distinct on (at, id) id from candidates
      where strpos(search_fold(text), search_fold(${wanted})) > 0 order by at desc, id desc limit ${MOST_FOUND + 1}
    ) select array(select id::text from hits) as ids,
      (select coalesce(max(count), 0) from (select count(*) from candidates group by ${visible === null ? sql`()` : sql`experience`}) counted) as seen`.execute(
    trx,
  )
  const { ids, seen } = rows[0] as (typeof rows)[number]
  return { items: ids.slice(0, MOST_FOUND), more: ids.length > MOST_FOUND || seen >= CANDIDATES }
}

function joined(one: Found<string>, other: Found<string>): Found<string> {
  const ids = [...new Set([...one.items, ...other.items])].sort().reverse()
  return { items: ids.slice(0, MOST_FOUND), more: one.more || other.more || ids.length > MOST_FOUND }
}

async function whole<Id extends string, Row extends Record<Id, string>>(
  { items: ids, more }: Found<string>,
  read: (ids: readonly string[]) => Promise<Row[]>,
  id: Id,
): Promise<Found<Row>> {
  const rows = new Map((await read(ids)).map(row => [row[id] as string, row]))
  return { items: ids.flatMap(each => rows.get(each) ?? []), more }
}

/** By the start of their id, then by that of a file's name; groups also by the configurations that they name. */
async function tasksBy(
  trx: Trx,
  visible: Visible,
  text: string,
  isGroup: boolean,
  configurations: readonly string[],
): Promise<Found<WholeTask>> {
  const ids = new Set([
    ...(await byId(trx, visible, text, isGroup)),
    ...(await byFileName(trx, visible, text, isGroup)),
    ...(configurations.length > 0 ? await byConfiguration(trx, visible, configurations) : []),
  ])
  const shown = [...ids].slice(0, MOST_FOUND)
  const rows = await trx.selectFrom('tasks').selectAll().where('task_id', 'in', orNone(shown)).execute()
  const found = new Map((await withChains(trx, rows as TaskRow[])).map(task => [task.task_id, task]))
  return { items: shown.flatMap(id => found.get(id) ?? []), more: ids.size > MOST_FOUND }
}

const NOBODY = '00000000-0000-0000-0000-000000000000'
const orNone = (ids: string[]): string[] => (ids.length > 0 ? ids : [NOBODY])

/** Runs `select` for everything, or once for each experience: what others have is never read. */
async function idsOf(
  trx: Trx,
  visible: Visible,
  select: (mine: (column: string) => RawBuilder<unknown>) => RawBuilder<unknown>,
): Promise<string[]> {
  const query =
    visible === null
      ? select(() => sql`true`)
      : sql`select c.* from unnest(${[...visible]}::text[]) v(experience) cross join lateral (${select(
          column => sql`${sql.ref(column)} = v.experience`,
        )}) c`
  const { rows } = await sql<{ task_id: string }>`select task_id from (${query}) found order by at desc`.execute(trx)
  return rows.map(({ task_id }) => task_id)
}

async function byId(trx: Trx, visible: Visible, text: string, isGroup: boolean): Promise<string[]> {
  const range = idsFrom(text)
  if (!range) return []
  return idsOf(
    trx,
    visible,
    mine => sql`
      select task_id, task_id as at from tasks
      where ${mine('experience_id')} and is_group = ${isGroup} and task_id between ${range.first}::uuid and ${range.last}::uuid
      order by task_id desc limit ${MOST_FOUND + 1}`,
  )
}

/** The first and the last id that begin with the text; null if none can. */
export function idsFrom(text: string): { first: string; last: string } | null {
  const begin = text.toLowerCase()
  const fits =
    begin.length <= NOBODY.length && [...begin].every((c, at) => (NOBODY[at] === '-' ? c === '-' : /[0-9a-f]/.test(c)))
  if (!fits) return null
  return {
    first: begin + NOBODY.slice(begin.length),
    last: begin + NOBODY.replaceAll('0', 'f').slice(begin.length),
  }
}

async function byFileName(trx: Trx, visible: Visible, text: string, isGroup: boolean): Promise<string[]> {
  // Several files of one group may have such a name.
  const limit = (MOST_FOUND + 1) * (isGroup ? CHAINS : 1)
  const last = '\u{10ffff}'
  return idsOf(
    trx,
    visible,
    mine => sql`
      select task_id, task_id as at from chains
      where ${mine('file_experience_id')} and file_is_group = ${isGroup} and file_name >= search_fold(${text}) and file_name < search_fold(${text}) || ${last}
      order by file_name limit ${limit}`,
  )
}

async function byConfiguration(trx: Trx, visible: Visible, names: readonly string[]): Promise<string[]> {
  return idsOf(
    trx,
    visible,
    mine => sql`
      select g.task_id, g.at from unnest(${[...names]}::text[]) n(name) cross join lateral (
        select task_id, group_created_at as at from chains
        where ${mine('group_experience_id')} and configuration = n.name and group_created_at is not null
        order by group_created_at desc limit ${MOST_FOUND + 1}
      ) g`,
  )
}
