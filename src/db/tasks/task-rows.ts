// Tasks and task groups as they are stored, and reading them. A task is a group of one chain.
import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Db, Queries } from '../database.ts'
import type { Tables } from '../tables.ts'
import { isSeen, type Visible } from '../visible.ts'

export type TaskRow = Selectable<Tables['tasks']>
export type EntryRow = Selectable<Tables['entries']>
export type ChainRow = Omit<Selectable<Tables['chains']>, `group_${string}` | `file_${string}`>

export interface WholeTask extends TaskRow {
  chains: readonly (ChainRow & { entries: readonly EntryRow[] })[]
}

/** Counts waiting tasks up to `most`. The limit need not be exact, so callers may cache it for a second. */
export async function countWaiting(db: Db, most: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (select from tasks where status = 'Waiting' limit ${most}) waiting`.execute(db)
  return rows[0]?.count ?? 0
}

export async function wholeTask(
  queries: Queries,
  taskId: string,
  visible: Visible = null,
): Promise<WholeTask | undefined> {
  const { rows } = await sql<TaskJson>`
    select t.*, ${chainsOf(sql`t.task_id`)} as chains from tasks t
    where t.task_id = ${taskId} and ${isSeen(visible)}`.execute(queries)
  return rows[0] && taskOf(rows[0])
}

/** Columns of a chain with its entries, for a select from `chains c`. */
const wholeChain = sql`c.*, (select json_agg(e order by e.index) from entries e where e.chain_id = c.chain_id) as entries`

export async function withChains(queries: Queries, tasks: readonly TaskRow[]): Promise<WholeTask[]> {
  if (tasks.length === 0) return []
  const { rows } = await sql<ChainJson>`
    select ${wholeChain} from chains c
    where c.task_id = any(${tasks.map(task => task.task_id)}::uuid[]) order by c.task_id, c.index`.execute(queries)
  const byTask = Map.groupBy(rows, chain => chain.task_id)
  return tasks.map(task => ({ ...task, chains: (byTask.get(task.task_id) ?? []).map(chainRow) }))
}

/** The chains of a task as one JSON value for `taskOf`. `taskId`: an SQL expression. */
export const chainsOf = (taskId: RawBuilder<unknown>): RawBuilder<ChainJson[]> =>
  sql`(select json_agg(w) from (select ${wholeChain} from chains c where c.task_id = ${taskId} order by c.index) w)`

/** A task with its chains in one row. */
export type TaskJson = TaskRow & { chains: ChainJson[] | null }

export const taskOf = (row: TaskJson): WholeTask => ({ ...row, chains: (row.chains ?? []).map(chainRow) })

type ChainJson = ChainRow & { entries: EntryJson[] }

const chainRow = (chain: ChainJson): WholeTask['chains'][number] => ({
  ...chain,
  entries: chain.entries.map(entryRow),
})

/** A row that was read as JSON, where times are text. */
type EntryJson = Omit<EntryRow, EntryTime> & Record<EntryTime, string | null>
type EntryTime = 'started_at' | 'ended_at' | 'retry_at' | 'asks_since' | 'retracted_at'

const time = (text: string | null): Date | null => (text === null ? null : new Date(text))

const entryRow = (entry: EntryJson): EntryRow => ({
  ...entry,
  started_at: time(entry.started_at),
  ended_at: time(entry.ended_at),
  retry_at: time(entry.retry_at),
  asks_since: time(entry.asks_since),
  retracted_at: time(entry.retracted_at),
})
