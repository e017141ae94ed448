// Writes a task that was just accepted.
import { type RawBuilder, sql } from 'kysely'
import { json, type Queries } from '../database.ts'
import { queueNotified } from '../notify.ts'
import type { Snapshot } from '../tables.ts'
import type { ChainRow, EntryRow, TaskRow, WholeTask } from './task-rows.ts'
import { allOwned, owned, owning } from './upload-rows.ts'

export interface NewTask {
  task: Pick<
    TaskRow,
    | 'task_id'
    | 'flow_id'
    | 'is_group'
    | 'configuration'
    | 'experience_id'
    | 'limited'
    | 'lane'
    | 'job_id'
    | 'webhook_url'
    | 'warnings'
    | 'token_id'
    | 'on_failure'
    | 'consent'
    | 'keepsake_id'
    | 'traceparent'
  >
  chains: (Pick<ChainRow, 'chain_id' | 'configuration' | 'snapshot_id' | 'extras' | 'input' | 'assets' | 'files'> & {
    entries: Pick<EntryRow, 'configuration' | 'adapter_name' | 'input_idx'>[]
  })[]
  /** Those of the chains, by id. */
  snapshots: ReadonlyMap<string, Snapshot>
}

/**
 * Inserts task, chains, entries and asset pins, and takes over the uploaded blobs, in one statement. Returns the stored task. Snapshots that are
 * there stay; one that a failover has forgotten is there again.
 */
export async function insertTask(
  queries: Queries,
  { task, chains, snapshots }: NewTask,
  blobs: readonly string[],
): Promise<WholeTask> {
  const { task_id } = task
  const whole: WholeTask = {
    ...task,
    ...newTask,
    created_at: new Date(),
    chains: chains.map(({ entries, ...chain }, index) => ({
      ...chain,
      task_id,
      index,
      status: 'Waiting',
      entries: entries.map((entry, position) => ({ ...entry, ...newEntry, chain_id: chain.chain_id, index: position })),
    })),
  }
  await owning(
    sql`
    with ${owned(blobs)}, t as (
      insert into tasks (task_id, flow_id, is_group, configuration, experience_id, limited, status, lane, job_id, webhook_url, warnings, created_at, token_id, on_failure, keepsake_id, consent, traceparent)
      values (${task_id}, ${task.flow_id}, ${task.is_group}, ${task.configuration}, ${task.experience_id}, ${task.limited}, 'Waiting',
        ${task.lane}, ${task.job_id}, ${task.webhook_url}, ${json(task.warnings)}, ${whole.created_at}, ${task.token_id}, ${task.on_failure}, ${task.keepsake_id}, ${task.consent && json(task.consent)}, ${task.traceparent})
    ), c as (
      insert into chains (chain_id, task_id, index, configuration, snapshot_id, status, extras, input, assets, files, group_created_at, group_experience_id, file_name, file_is_group, file_experience_id)
      select chain_id, ${task_id}, index, configuration, snapshot_id, 'Waiting', extras, input, assets, files, ${task.is_group ? whole.created_at : null}::timestamptz,
        ${task.is_group ? task.experience_id : null}, ${foldedName(sql`input`)}, case when input ->> 'file_name' is not null then ${task.is_group}::boolean end,
        case when input ->> 'file_name' is not null then ${task.experience_id} end
      from json_to_recordset(${json(whole.chains)}::json)
        as r (chain_id uuid, index int, configuration text, snapshot_id text, extras json, input json, assets json, files json)
    ), s as (
      insert into snapshots (snapshot_id, body, used_at)
      select snapshot_id, body, now() from json_to_recordset(${snapshotRows(snapshots)}::json) as r (snapshot_id text, body json)
      order by snapshot_id on conflict (snapshot_id) do nothing
    ), p as (
      insert into asset_pins (blob, task_id)
      select distinct a.value ->> 'blob', ${task_id}::uuid from json_to_recordset(${json(whole.chains)}::json) as r (assets json), json_each(r.assets) a
    ), e as (
      insert into entries (chain_id, index, configuration, adapter_name, input_idx, status)
      select chain_id, index, configuration, adapter_name, input_idx, 'Waiting'
      from json_to_recordset(${json(whole.chains.flatMap(chain => chain.entries))}::json)
        as r (chain_id uuid, index int, configuration text, adapter_name text, input_idx int)
    ) select ${allOwned(blobs)}, ${queueNotified(task.lane)}`,
    queries,
  )
  return whole
}

const snapshotRows = (snapshots: NewTask['snapshots']): string =>
  json([...snapshots].map(([snapshot_id, body]) => ({ snapshot_id, body })))

/** The name of the file of an input as the search has it. */
export const foldedName = (input: RawBuilder<unknown>): RawBuilder<string | null> =>
  sql`search_fold(left(${input} ->> 'file_name', 100))`

/** What a task and an entry are before anything happened to them. */
export const newTask = {
  status: 'Waiting',
  run: 1,
  claim: null,
  rescues: 0,
  worker_id: null,
  cancel_requested: false,
  spent_seconds: 0,
  change: 0,
  started_at: null,
  ended_at: null,
  files_deleted_at: null,
  erasing: null,
} as const

export const newEntry = {
  status: 'Waiting' as const,
  progress: 0,
  attempts: 0,
  cut_off: 0,
  deaths: 0,
  started_at: null,
  ended_at: null,
  retry_at: null,
  asks_since: null,
  retracted_at: null,
  generation: 0,
  result: null,
  error: null,
  warnings: [],
  output: null,
  explanation: null,
  checkpoint: null,
  place_values: null,
  change: 0,
}
