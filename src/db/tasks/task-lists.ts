// Reads and lists the tasks and task groups that the caller may see.
import { type RawBuilder, sql } from 'kysely'
import { isId } from '#kit/ids.ts'
import type { Db } from '../database.ts'
import { newestFirst, type Page, type PageRequest } from '../page.ts'
import type { TaskStatus } from '../tables.ts'
import { isSeen, requireFound, type Visible } from '../visible.ts'
import { type TaskRow, type WholeTask, wholeTask, withChains } from './task-rows.ts'

export interface TaskFilters {
  status?: TaskStatus | undefined
  configuration?: string | undefined
  experience_id?: string | undefined
  profile_id?: string | undefined
  /** An entry ended with this error. */
  error_code?: string | undefined
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
  const { status, configuration, experience_id, profile_id, error_code, created_after, created_before } = filters
  const by =
    isGroup && configuration !== undefined
      ? { ...ofGroups(configuration), isOfGroups: true }
      : error_code === undefined
        ? null
        : { ...ofErrors(error_code, isGroup, experience_id), isOfGroups: false }
  const createdAt = by?.createdAt ?? sql`t.created_at`
  const and = [
    // As an array, because one guest has few tasks: PostgreSQL then looks them up by id instead of scanning the list.
    ...(profile_id === undefined
      ? []
      : [sql`t.task_id = any (array(select g.task_id from task_guests g where g.profile_id = ${profile_id}))`]),
    ...(error_code !== undefined && by?.isOfGroups ? [endedWith(error_code)] : []),
    ...(created_after === undefined ? [] : [sql`${createdAt} >= ${created_after}`]),
    ...(created_before === undefined ? [] : [sql`${createdAt} < ${created_before}`]),
    ...(by ? [by.condition] : []),
  ]
  const where = {
    is_group: by ? undefined : isGroup,
    status,
    experience_id,
    ...(isGroup ? {} : { configuration }),
  }
  const list = { page, visible, where, and, ...(by ? { by } : {}) }
  const { items, next_cursor } = await newestFirst(db, 'tasks', list)
  return { items: await withChains(db, items as unknown as TaskRow[]), next_cursor }
}

/** A group names a configuration at most once, so the join gives no duplicates. */
const ofGroups = (configuration: string) => ({
  from: sql`chains c join tasks t on t.task_id = c.task_id and t.experience_id = c.group_experience_id`,
  createdAt: sql`c.group_created_at`,
  id: sql`c.task_id`,
  condition: sql`c.configuration = ${configuration} and c.group_created_at is not null`,
})

/** `offset 0` makes PostgreSQL look each task up. Else it may go through all tasks in the order of their ids. */
const ofErrors = (code: string, isGroup: boolean, experienceId: string | undefined) => ({
  from: sql`task_errors x cross join lateral (select * from tasks where task_id = x.task_id offset 0) t`,
  createdAt: sql`x.created_at`,
  id: sql`x.task_id`,
  experience: sql`x.experience_id`,
  condition: sql`x.code = ${code} and x.is_group = ${isGroup}${experienceId === undefined ? sql`` : sql` and x.experience_id = ${experienceId}`}`,
})

const endedWith = (code: string): RawBuilder<unknown> =>
  sql`exists (select from task_errors o where o.task_id = t.task_id and o.code = ${code})`

/** What is steered together: by filters, by ids, or both. */
export interface ManyFilters extends TaskFilters {
  ids?: readonly string[] | undefined
}

/** Few enough that PostgreSQL looks them up one by one. */
const IDS = 100

/** The ids of the tasks that the filters find in one of these states, oldest first, up to `most`. */
export async function listTaskIds(
  db: Db,
  visible: Visible,
  isGroup: boolean,
  { ids, ...filters }: ManyFilters,
  { states, most, putOff = false }: { states: readonly TaskStatus[]; most: number; putOff?: boolean },
): Promise<string[]> {
  const wanted = states.filter(each => filters.status === undefined || filters.status === each)
  if (wanted.length === 0) return []
  const conditions = [
    sql`t.is_group = ${isGroup}`,
    stateIn(wanted),
    ...conditionsOf(visible, isGroup, filters),
    ...(putOff ? [hasPutOff] : []),
  ]
  const unique = ids && [...new Set(ids.map(id => id.toLowerCase()))]
  const parts: RawBuilder<unknown>[] = unique
    ? Array.from({ length: Math.ceil(unique.length / IDS) }, (_, at) => {
        const some = unique.slice(at * IDS, (at + 1) * IDS)
        return sql`t.task_id = any(${some}::uuid[])`
      })
    : [sql`true`]
  const found: string[] = []
  for (const part of parts) found.push(...(await idsWhere(db, [...conditions, part], most - found.length)))
  return found.sort()
}

/** Nobody has it in hand, and an entry waits for its next attempt. */
const hasPutOff = sql`t.worker_id is null and coalesce((
  select bool_or(e.retry_at > now() and e.error ->> 'code' <> 'needs_consent')
  from chains c join entries e using (chain_id) where c.task_id = t.task_id and e.status = 'Waiting'), false)`

/** Written out, so that PostgreSQL can see which partial indexes fit. */
const stateIn = (states: readonly TaskStatus[]): RawBuilder<unknown> =>
  sql`t.status in (${sql.join(states.map(state => sql.lit(state)))})`

function conditionsOf(visible: Visible, isGroup: boolean, filters: TaskFilters): RawBuilder<unknown>[] {
  const { configuration, experience_id, profile_id, error_code, created_after, created_before } = filters
  return [
    ...(visible === null ? [] : [isSeen(visible, 't.experience_id')]),
    ...(configuration === undefined ? [] : [named(configuration, isGroup)]),
    ...(experience_id === undefined ? [] : [sql`t.experience_id = ${experience_id}`]),
    ...(profile_id === undefined
      ? []
      : [sql`t.task_id = any (array(select g.task_id from task_guests g where g.profile_id = ${profile_id}))`]),
    ...(error_code === undefined ? [] : [endedWith(error_code)]),
    ...(created_after === undefined ? [] : [sql`t.created_at >= ${created_after}`]),
    ...(created_before === undefined ? [] : [sql`t.created_at < ${created_before}`]),
  ]
}

/**
 * Without those that had a file sent in which is past its retention: they can't run again as they are. As one value, because PostgreSQL
 * would go through all chains for an `exists`.
 */
async function idsWhere(db: Db, conditions: readonly RawBuilder<unknown>[], most: number): Promise<string[]> {
  const { rows } = await sql<{ task_id: string }>`
    select t.task_id from tasks t where ${sql.join([...conditions], sql` and `)}
      and (t.files_deleted_at is null or not (select bool_or(f.input -> 'file' is not null) from chains f where f.task_id = t.task_id))
    limit ${most}`.execute(db)
  return rows.map(({ task_id }) => task_id)
}

const named = (configuration: string, isGroup: boolean): RawBuilder<unknown> =>
  isGroup
    ? sql`t.task_id in (select c.task_id from chains c where c.configuration = ${configuration} and c.group_created_at is not null)`
    : sql`t.configuration = ${configuration}`

export async function readTask(db: Db, visible: Visible, isGroup: boolean, taskId: string): Promise<WholeTask> {
  const task = isId(taskId) ? await wholeTask(db, taskId.toLowerCase(), visible) : undefined
  return requireFound(task?.is_group === isGroup ? task : undefined, isGroup ? 'task group' : 'task', taskId)
}

/** Those of these ids that the caller may see. */
export async function listTasksById(
  db: Db,
  visible: Visible,
  isGroup: boolean,
  ids: readonly string[],
): Promise<WholeTask[]> {
  const rows: TaskRow[] = []
  for (let at = 0; at < ids.length; at += IDS)
    rows.push(
      ...(await db
        .selectFrom('tasks')
        .selectAll()
        .where('task_id', 'in', ids.slice(at, at + IDS))
        .where('is_group', '=', isGroup)
        .where(isSeen(visible))
        .execute()),
    )
  return withChains(db, rows)
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
