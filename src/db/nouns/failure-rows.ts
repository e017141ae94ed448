// Queries about failures: what went wrong in a task, attempt by attempt, also before its last run.
import { type RawBuilder, type Selectable, sql } from 'kysely'
import { newId } from '#kit/ids.ts'
import { json, type Queries } from '../database.ts'
import type { StoredError, Tables } from '../tables.ts'

export type FailureRow = Selectable<Tables['task_failures']>

/** Rows that are kept of one task: the newest. */
export const MOST_FAILURES = 100

export interface NewFailure {
  chain_id: string
  index: number
  /** `Deferred`: it is tried again by itself. */
  outcome: FailureRow['outcome']
  error: StoredError
}

/**
 * Part of a statement that writes how entries went. `held` is one of its queries, with the id and run of the task: failures are noted only
 * if that query has a row. One that repeats the entry's last failure of this run is counted there, so that waiting for a day is one row.
 * An entry that has this end already was written before, and the answer was lost.
 */
export function failuresNoted(held: RawBuilder<unknown>, failures: readonly NewFailure[]): RawBuilder<unknown> {
  const rows = failures.map(({ error: { code, message }, ...failure }) => ({
    failure_id: newId(),
    ...failure,
    code,
    message,
  }))
  const given = sql`json_to_recordset(${json(rows)}::json)
        as r (failure_id uuid, chain_id uuid, index int, outcome text, code text, message text)`
  return sql`
    failures_again as (
      update task_failures f set times = f.times + 1, last_at = now()
      from ${held}, ${given}
      where f.task_id = ${held}.task_id and f.run = ${held}.run and r.outcome = 'Deferred'
        and (f.outcome, f.code, f.message) = (r.outcome, r.code, r.message) and f.failure_id = (
          select l.failure_id from task_failures l where l.task_id = ${held}.task_id and l.chain_id = r.chain_id and l.index = r.index
          order by l.failure_id desc limit 1)
      returning r.failure_id
    ), failures_noted as (
      insert into task_failures (failure_id, task_id, run, chain_id, index, outcome, attempt, code, message)
      select r.failure_id, ${held}.task_id, ${held}.run, r.chain_id, r.index, r.outcome, coalesce(e.attempts, 0), r.code, r.message
      from ${held}, ${given} left join entries e on e.chain_id = r.chain_id and e.index = r.index
      where not exists (select from failures_again a where a.failure_id = r.failure_id) and e.status is distinct from r.outcome
    ), failures_forgotten as (
      delete from task_failures f using ${held} where f.task_id = ${held}.task_id and f.failure_id <= (
        select o.failure_id from task_failures o where o.task_id = ${held}.task_id order by o.failure_id desc offset ${MOST_FAILURES - 1} limit 1)
    )`
}

/** Newest first. */
export const listFailures = (db: Queries, taskId: string): Promise<FailureRow[]> =>
  db
    .selectFrom('task_failures')
    .selectAll()
    .where('task_id', '=', taskId)
    .orderBy('failure_id', 'desc')
    .limit(MOST_FAILURES)
    .execute()
