// Tasks and task groups: insert, claim, read, end. A task is a group of one chain.
import { sql } from 'kysely'
import { failpoint } from '#kit/failpoint.ts'
import type { JsonObject } from '#kit/json.ts'
import { nextChange, notifyChange } from './changes.ts'
import { type Db, json, type Queries, type Trx } from './database.ts'
import type { ChainInput, EntryError, EntryOutput, EntryStatus, Snapshot, StoredFile, TaskStatus } from './tables.ts'

export interface TaskRow {
  task_id: string
  flow_id: string
  is_group: boolean
  configuration: string
  experience_id: string
  status: TaskStatus
  lane: string
  run: number
  lease: number
  worker_id: string | null
  job_id: string | null
  webhook_url: string | null
  warnings: string[]
  cancel_requested: boolean
  spent_seconds: number
  change: number
  created_at: Date
  started_at: Date | null
  ended_at: Date | null
  files_deleted_at: Date | null
}

export interface EntryRow {
  chain_id: string
  index: number
  configuration: string
  adapter_name: string
  input_idx: number | null
  status: EntryStatus
  progress: number
  attempts: number
  deaths: number
  started_at: Date | null
  ended_at: Date | null
  retry_at: Date | null
  result: JsonObject | null
  error: EntryError | null
  warnings: string[]
  output: EntryOutput | null
  explanation: JsonObject | null
  checkpoint: JsonObject | null
  change: number
}

export interface ChainRow {
  chain_id: string
  task_id: string
  index: number
  configuration: string
  snapshot_id: string
  status: TaskStatus
  extras: JsonObject
  input: ChainInput
  assets: Record<string, StoredFile>
}

export interface WholeTask extends TaskRow {
  chains: (ChainRow & { entries: EntryRow[] })[]
}

export interface NewTask {
  task: Pick<
    TaskRow,
    | 'task_id'
    | 'flow_id'
    | 'is_group'
    | 'configuration'
    | 'experience_id'
    | 'lane'
    | 'job_id'
    | 'webhook_url'
    | 'warnings'
  >
  chains: (Pick<ChainRow, 'chain_id' | 'configuration' | 'snapshot_id' | 'extras' | 'input' | 'assets'> & {
    entries: Pick<EntryRow, 'configuration' | 'adapter_name' | 'input_idx'>[]
  })[]
}

export async function insertTask(trx: Trx, { task, chains }: NewTask): Promise<void> {
  await trx
    .insertInto('tasks')
    .values({
      ...task,
      status: 'Waiting',
      warnings: json(task.warnings),
      created_at: new Date(),
      started_at: null,
      ended_at: null,
      worker_id: null,
      files_deleted_at: null,
    })
    .execute()
  await trx
    .insertInto('chains')
    .values(
      chains.map(({ entries: _entries, ...chain }, index) => ({
        ...chain,
        task_id: task.task_id,
        index,
        status: 'Waiting' as const,
        extras: json(chain.extras),
        input: json(chain.input),
        assets: json(chain.assets),
      })),
    )
    .execute()
  await trx
    .insertInto('entries')
    .values(
      chains.flatMap(chain =>
        chain.entries.map((entry, index) => ({
          ...entry,
          chain_id: chain.chain_id,
          index,
          status: 'Waiting' as const,
          warnings: json([]),
        })),
      ),
    )
    .execute()
}

/** Waiting tasks in all; the limit needs no exact figure, so callers may keep it for a second. */
export async function countWaiting(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from tasks where status = 'Waiting'`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

export async function findTask(queries: Queries, taskId: string): Promise<TaskRow | undefined> {
  return queries.selectFrom('tasks').selectAll().where('task_id', '=', taskId).executeTakeFirst()
}

export async function wholeTask(queries: Queries, taskId: string): Promise<WholeTask | undefined> {
  const task = await findTask(queries, taskId)
  return task && (await withChains(queries, [task]))[0]
}

export async function withChains(queries: Queries, tasks: readonly TaskRow[]): Promise<WholeTask[]> {
  if (tasks.length === 0) return []
  const ids = tasks.map(task => task.task_id)
  const chains = await queries
    .selectFrom('chains')
    .selectAll()
    .where('task_id', 'in', ids)
    .orderBy('task_id')
    .orderBy('index')
    .execute()
  const entries = await queries
    .selectFrom('entries')
    .selectAll()
    .where(
      'chain_id',
      'in',
      chains.map(chain => chain.chain_id),
    )
    .orderBy('chain_id')
    .orderBy('index')
    .execute()
  const byChain = Map.groupBy(entries, entry => entry.chain_id)
  const byTask = Map.groupBy(chains, chain => chain.task_id)
  return tasks.map(task => ({
    ...task,
    chains: (byTask.get(task.task_id) ?? []).map(chain => ({ ...chain, entries: byChain.get(chain.chain_id) ?? [] })),
  }))
}

export async function snapshotsOf(queries: Queries, chains: readonly ChainRow[]): Promise<Map<string, Snapshot>> {
  const rows = await queries
    .selectFrom('snapshots')
    .select(['snapshot_id', 'body'])
    .where('snapshot_id', 'in', [...new Set(chains.map(chain => chain.snapshot_id))])
    .execute()
  return new Map(rows.map(row => [row.snapshot_id, row.body]))
}

/**
 * Takes a task for a worker: only one gets it, and gets it again if the first answer was lost. `full` means that the experience runs as many as it may;
 * the task then waits without a job until one of its siblings ends.
 */
export async function claimTask(
  db: Db,
  taskId: string,
  jobId: string,
  workerId: string,
): Promise<TaskRow | 'full' | null> {
  const claimed = await db.transaction().execute(async trx => {
    const { rows } = await sql<{ experience_id: string; max_running: number | null }>`
      select t.experience_id, e.max_running from tasks t left join experiences e using (experience_id)
      where task_id = ${taskId} and job_id = ${jobId} and (status = 'Waiting' or (status = 'Running' and (worker_id is null or worker_id = ${workerId})))
      for update of t`.execute(trx)
    const found = rows[0]
    if (!found) return null
    if (found.max_running !== null && (await isFull(trx, found.experience_id, found.max_running))) {
      await trx.updateTable('tasks').set({ job_id: null }).where('task_id', '=', taskId).execute()
      return 'full'
    }
    const task = await trx
      .updateTable('tasks')
      .set(eb => ({
        status: 'Running',
        lease: eb('lease', '+', 1),
        worker_id: workerId,
        started_at: eb.fn.coalesce('started_at', sql<Date>`now()`),
        change: nextChange,
      }))
      .where('task_id', '=', taskId)
      .returningAll()
      .executeTakeFirstOrThrow()
    await notifyChange(trx, taskId)
    failpoint('claim.before')
    return task
  })
  if (claimed) failpoint('claim.after')
  return claimed
}

async function isFull(trx: Trx, experienceId: string, maxRunning: number): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${experienceId}, 0))`.execute(trx)
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from tasks where experience_id = ${experienceId} and status = 'Running' and worker_id is not null`.execute(
    trx,
  )
  return (rows[0]?.count ?? 0) >= maxRunning
}

/** The next task of an experience that waits without a job, locked for the caller. */
export async function nextParked(trx: Trx, experienceId: string): Promise<TaskRow | undefined> {
  return trx
    .selectFrom('tasks')
    .selectAll()
    .where('experience_id', '=', experienceId)
    .where('job_id', 'is', null)
    .where(eb =>
      eb.or([eb('status', '=', 'Waiting'), eb.and([eb('status', '=', 'Running'), eb('worker_id', 'is', null)])]),
    )
    .orderBy('created_at')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
}

export async function setJob(trx: Trx, taskId: string, jobId: string): Promise<void> {
  await trx.updateTable('tasks').set({ job_id: jobId }).where('task_id', '=', taskId).execute()
}

export interface TaskEnd {
  task_id: string
  lease: number
  status: TaskStatus
  spentSeconds: number
  chains: readonly { chain_id: string; status: TaskStatus }[]
}

/** The one final state of a run, by compare-and-set; undefined when the lease is another's or the run has ended already. */
export async function endTask(
  trx: Trx,
  { task_id, lease, status, spentSeconds, chains }: TaskEnd,
): Promise<TaskRow | undefined> {
  const task = await trx
    .updateTable('tasks')
    .set(eb => ({
      status,
      ended_at: sql<Date>`now()`,
      worker_id: null,
      job_id: null,
      cancel_requested: false,
      spent_seconds: eb('spent_seconds', '+', spentSeconds),
      change: nextChange,
    }))
    .where('task_id', '=', task_id)
    .where('lease', '=', lease)
    .where('status', 'in', ['Waiting', 'Running'])
    .returningAll()
    .executeTakeFirst()
  if (!task) return undefined
  await sql`
    update chains c set status = r.status from json_to_recordset(${json(chains)}::json) as r (chain_id uuid, status text)
    where c.chain_id = r.chain_id`.execute(trx)
  return task
}

/** Results that gained the ids of activities, and warnings that the end brought. */
export async function saveResults(
  trx: Trx,
  taskId: string,
  entries: readonly EntryRow[],
  warnings: readonly string[],
): Promise<void> {
  const rows = entries
    .filter(entry => entry.result && 'activity' in entry.result)
    .map(({ chain_id, index, result }) => ({ chain_id, index, result }))
  if (rows.length > 0) {
    await sql`
      update entries e set result = r.result, change = nextval('changes')
      from json_to_recordset(${json(rows)}::json) as r (chain_id uuid, index int, result json)
      where e.chain_id = r.chain_id and e.index = r.index`.execute(trx)
  }
  if (warnings.length > 0)
    await trx
      .updateTable('tasks')
      .set({ warnings: json(warnings) })
      .where('task_id', '=', taskId)
      .execute()
}

/** Gives a task up without ending it: entries that were under way wait again. False when the lease is another's. */
export async function releaseTask(
  trx: Trx,
  taskId: string,
  lease: number,
  jobId: string,
  spentSeconds: number,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('tasks')
    .set(eb => ({
      worker_id: null,
      job_id: jobId,
      lease: eb('lease', '+', 1),
      spent_seconds: eb('spent_seconds', '+', spentSeconds),
      change: nextChange,
    }))
    .where('task_id', '=', taskId)
    .where('lease', '=', lease)
    .where('status', '=', 'Running')
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  await sql`update entries set status = 'Waiting', change = nextval('changes') from chains
    where chains.chain_id = entries.chain_id and task_id = ${taskId} and entries.status = 'Running'`.execute(trx)
  await notifyChange(trx, taskId)
  return true
}
