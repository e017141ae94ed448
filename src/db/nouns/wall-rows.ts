// Queries about walls: their keys, what is on them, and what waits for somebody to approve it.
import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Said } from '#kit/guest/consent.ts'
import type { GuestPage } from '#kit/guest/guest-page.ts'
import type { WallState } from '#kit/guest/wall-state.ts'
import { isId } from '#kit/ids.ts'
import type { Queries, Trx } from '../database.ts'
import { newestFirst, type Page, type PageRequest } from '../page.ts'
import type { StoredFile, Tables, TaskStatus } from '../tables.ts'
import type { Visible } from '../visible.ts'
import { isLeftOut, type KeepsakeRow } from './keepsake-rows.ts'
import { leads } from './profiles-lookup.ts'

export type WallKey = Selectable<Tables['wall_keys']>

/** What the experience of a wall says of it. */
export interface WallExperience {
  experience_id: string
  guest_page: GuestPage | null
  name: string | null
  retention_days: number | null
}

/** A file that may be on a wall. */
export interface WallFile {
  /** The id that a wall knows it by: of the chain that made it. */
  wall_id: string
  task_id: string
  accepted_at: Date
  used_at: Date
  state: WallState
  output: StoredFile | null
  said: Said
}

const said = (keepsake: RawBuilder<unknown>, task: RawBuilder<unknown>) => sql<Said>`json_build_object(
  'keepsake', (select consent from keepsakes where keepsake_id = ${keepsake}),
  'task', (select consent from tasks where task_id = ${task}),
  'profiles', array(
    select p.consent from task_guests g join profiles p using (profile_id) where g.task_id = ${task}
    union all
    select p.consent from keepsake_lookups l join profile_lookups o on ${leads('o', 'l')}
      join profiles p on p.profile_id = o.profile_id where l.keepsake_id = ${keepsake}
    union all
    select p.consent from keepsake_lookups l join profiles p
      on p.profile_id = case when l.kind = 'profile_id' and l.key ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then l.key::uuid end
      where l.keepsake_id = ${keepsake}))`

/** The output of the last entry: the same file that the page of the guest shows. */
const lastOutput = sql`(select e.output from entries e where e.chain_id = f.chain_id and e.status = 'Succeeded' order by e.index desc limit 1)`

const shown = (files: RawBuilder<unknown>) => sql<WallFile>`
  select f.chain_id as wall_id, t.task_id, f.accepted_at, k.used_at, f.wall_state as state, ${lastOutput} as output,
    ${said(sql`f.keepsake_id`, sql`t.task_id`)} as said
  from (${files}) f join keepsakes k using (keepsake_id) join chains c using (chain_id) join tasks t using (task_id)
  where c.status = 'Succeeded' and t.files_deleted_at is null
  order by f.accepted_at desc, f.chain_id`

/** The newest files of an experience of which no state speaks against showing them, at most so many. */
export async function listWallFiles(
  db: Queries,
  experienceId: string,
  onlyApproved: boolean,
  limit: number,
): Promise<WallFile[]> {
  const state = onlyApproved ? sql`wall_state = 'approved'` : sql`wall_state <> 'hidden'`
  const files = sql`
    select * from keepsake_files where experience_id = ${experienceId} and ${state}
    order by accepted_at desc, chain_id limit ${limit}`
  return (await shown(files).execute(db)).rows
}

export async function findWallFile(db: Queries, experienceId: string, wallId: string): Promise<WallFile | undefined> {
  if (!isId(wallId)) return undefined
  const files = sql`select * from keepsake_files where chain_id = ${wallId} and experience_id = ${experienceId}`
  return (await shown(files).execute(db)).rows[0]
}

export async function findWallExperience(db: Queries, id: string): Promise<WallExperience | undefined> {
  return db
    .selectFrom('experiences')
    .select(['experience_id', 'guest_page', 'name', 'retention_days'])
    .where('experience_id', '=', id)
    .executeTakeFirst()
}

/** Which of these experiences have something new among these tasks. */
export async function listWallsOf(
  db: Queries,
  experienceIds: readonly string[],
  taskIds: readonly string[],
): Promise<string[]> {
  const rows = await db
    .selectFrom('tasks')
    .select('experience_id')
    .distinct()
    .where('task_id', '=', sql<string>`any(${[...taskIds]}::uuid[])`)
    .where('experience_id', '=', sql<string>`any(${[...experienceIds]}::text[])`)
    .where('keepsake_id', 'is not', null)
    .where('status', 'not in', ['Waiting', 'Running'])
    .execute()
  return rows.map(({ experience_id }) => experience_id)
}

export async function insertWallKey(trx: Trx, key: WallKey): Promise<void> {
  await trx.insertInto('wall_keys').values(key).execute()
}

/** The wall that a key opens. */
export type OpenedWall = WallExperience & { key_id: string }

export const findWallByKey = (db: Queries, hash: Buffer): Promise<OpenedWall | undefined> =>
  db
    .selectFrom('wall_keys as w')
    .innerJoin('experiences as x', 'x.experience_id', 'w.experience_id')
    .select(['w.key_id', 'x.experience_id', 'x.guest_page', 'x.name', 'x.retention_days'])
    .where('w.key_hash', '=', hash)
    .executeTakeFirst()

/** The newest first. There are never many: their number is limited. */
export const listWallKeys = (db: Queries, experienceId: string): Promise<WallKey[]> =>
  db
    .selectFrom('wall_keys')
    .selectAll()
    .where('experience_id', '=', experienceId)
    .orderBy('created_at', 'desc')
    .orderBy('key_id', 'desc')
    .execute()

/** All of an experience, or the one with the id. */
export const deleteWallKeys = (trx: Trx, experienceId: string, keyId: string | null): Promise<WallKey[]> =>
  trx
    .deleteFrom('wall_keys')
    .where('experience_id', '=', experienceId)
    .$if(keyId !== null, query => query.where('key_id', '=', keyId))
    .returningAll()
    .execute()

/** The keepsake is locked first, as when a task takes it. */
export async function hideFiles(trx: Trx, keepsakeId: string): Promise<void> {
  await trx.updateTable('keepsakes').set({ wall_state: 'hidden' }).where('keepsake_id', '=', keepsakeId).execute()
  await trx.updateTable('keepsake_files').set({ wall_state: 'hidden' }).where('keepsake_id', '=', keepsakeId).execute()
}

export async function lockKeepsake(trx: Trx, keepsakeId: string): Promise<void> {
  await trx
    .selectFrom('keepsakes')
    .select('keepsake_id')
    .where('keepsake_id', '=', keepsakeId)
    .forNoKeyUpdate()
    .execute()
}

/** Approves the files with these numbers; all others of the keepsake wait. */
export async function approveFiles(
  trx: Trx,
  keepsakeId: string,
  numbers: readonly number[],
  state: WallState,
): Promise<void> {
  await trx.updateTable('keepsakes').set({ wall_state: state }).where('keepsake_id', '=', keepsakeId).execute()
  await sql`
    update keepsake_files set wall_state = case when number = any(${[...numbers]}::int[]) then 'approved' else 'waiting' end
    where keepsake_id = ${keepsakeId} and (wall_state = 'hidden' or number = any(${[...numbers]}::int[]))`.execute(trx)
}

/** These wait again; null: all of them. */
export async function returnFiles(trx: Trx, keepsakeId: string, numbers: readonly number[] | null): Promise<void> {
  await trx.updateTable('keepsakes').set({ wall_state: 'waiting' }).where('keepsake_id', '=', keepsakeId).execute()
  await trx
    .updateTable('keepsake_files')
    .set({ wall_state: 'waiting' })
    .where('keepsake_id', '=', keepsakeId)
    .$if(numbers !== null, files => files.where('number', '=', sql<number>`any(${[...(numbers ?? [])]}::int[])`))
    .execute()
}

/** Files that are made anew have to be approved anew. */
export async function unapproveFiles(trx: Trx, keepsakeId: string, chainIds: readonly string[]): Promise<void> {
  await sql`
    with waiting as (
      update keepsake_files set wall_state = 'waiting'
      where chain_id = any(${[...chainIds]}::uuid[]) and wall_state = 'approved')
    update keepsakes set wall_state = 'waiting' where keepsake_id = ${keepsakeId} and wall_state = 'approved'`.execute(
    trx,
  )
}

/** Condition on `keepsakes t`: a task of it found the guest, or it is known by a value of a guest of its experience, or of none. */
const isOfGuest = (profileId: string): RawBuilder<unknown> => sql`t.keepsake_id = any (array(
  select o.keepsake_id from task_guests g join tasks o using (task_id) where g.profile_id = ${profileId} and o.keepsake_id is not null
  union
  select l.keepsake_id from (
      select o.experience_id, o.profile_id, o.kind, o.key from profile_lookups o where o.profile_id = ${profileId}
      union all
      select p.experience_id, p.profile_id, 'profile_id', p.profile_id::text from profiles p where p.profile_id = ${profileId}
    ) v
    join keepsake_lookups l on ${leads('v', 'l')}
    join keepsakes k on k.keepsake_id = l.keepsake_id and k.experience_id = coalesce(v.experience_id, k.experience_id)))`

export const listKeepsakes = (
  db: Queries,
  visible: Visible,
  {
    profile_id,
    ...where
  }: { experience_id?: string | undefined; wall_state?: WallState | undefined; profile_id?: string | undefined },
  page: PageRequest,
): Promise<Page<KeepsakeRow>> =>
  newestFirst(db, 'keepsakes', { page, visible, where, and: profile_id === undefined ? [] : [isOfGuest(profile_id)] })

/** Those of these that somebody is named for, or that a task found a guest for. */
export async function listKeepsakesWithGuest(db: Queries, keepsakeIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select k.id from unnest(${[...keepsakeIds]}::uuid[]) k (id)
    where exists (select from keepsake_lookups l where l.keepsake_id = k.id)
      or exists (select from tasks t join task_guests g using (task_id) where t.keepsake_id = k.id)`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** A file of a keepsake in a list. */
export interface ListedFile {
  keepsake_id: string
  number: number
  wall_state: WallState
  status: TaskStatus
  output: StoredFile | null
}

/** Of each keepsake at most so many, the newest first. */
const LISTED_FILES = 10

export async function listFilesOfMany(db: Queries, keepsakeIds: readonly string[]): Promise<ListedFile[]> {
  const { rows } = await sql<ListedFile>`
    select f.keepsake_id, f.number, f.wall_state, c.status, ${lastOutput} as output
    from unnest(${[...keepsakeIds]}::uuid[]) k (id)
    cross join lateral (select * from keepsake_files where keepsake_id = k.id order by number desc limit ${LISTED_FILES}) f
    join chains c using (chain_id) join tasks t using (task_id)
    where t.files_deleted_at is null order by f.number desc`.execute(db)
  return rows.filter(row => !isLeftOut(row)).map(row => (row.status === 'Succeeded' ? row : { ...row, output: null }))
}

/** What was said about each of them and its tasks. */
export async function listSaidOfMany(db: Queries, keepsakeIds: readonly string[]): Promise<Map<string, Said[]>> {
  const { rows } = await sql<{ keepsake_id: string; said: Said }>`
    select k.id as keepsake_id, ${said(sql`k.id`, sql`t.task_id`)} as said
    from unnest(${[...keepsakeIds]}::uuid[]) k (id)
    left join lateral (select task_id from tasks where keepsake_id = k.id order by task_id desc limit ${LISTED_FILES}) t on true`.execute(
    db,
  )
  const found = Map.groupBy(rows, row => row.keepsake_id)
  return new Map([...found].map(([id, each]) => [id, each.map(row => row.said)]))
}
