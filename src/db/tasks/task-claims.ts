// Who runs a task: a worker claims it, gives it back, or finds that its experience runs as many as it may.

import { type RawBuilder, sql } from 'kysely'
import { failpoint } from '#kit/failpoint.ts'
import type { Trx } from '../database.ts'
import { CHANGE_CHANNEL, nextChange, notifyChange } from '../notify.ts'
import { databaseTime } from '../ping.ts'
import type { TaskLane } from '../tables.ts'
import type { Claim } from './entry-rows.ts'
import {
  chainsOf,
  type EntryRow,
  type TaskJson,
  type TaskRow,
  taskOf,
  type WholeTask,
  withChains,
} from './task-rows.ts'

/** A task to claim, and the job it is claimed for. */
interface Claimant {
  task_id: string
  job_id: string
  experience_id: string
  /** Random, for this one claim. */
  claim: string
}

export type Claimed = WholeTask & {
  /** The experience has a limit, so other tasks may wait for this one to end. */
  counted: boolean
}

/**
 * Claims tasks for a worker, in the transaction that takes their jobs, so each task goes to one worker only. A task whose experience is
 * full is left out: it waits without a job (parked) until another task of the experience ends. `held`: jobs of those that somebody else has locked.
 *
 * A crash or failover of PostgreSQL may lose the claim: no other worker ever gets the same id, and whatever the first one writes is fenced.
 */
export async function claimTasks(
  trx: Trx,
  claimants: readonly Claimant[],
  workerId: string,
): Promise<{ claimed: Claimed[]; held: string[] }> {
  failpoint('claim.before')
  const claimed = await claimFreely(trx, claimants, workerId)
  const held: string[] = []
  const known = new Set(claimed.map(({ task_id }) => task_id))
  const left = claimants.filter(({ task_id }) => !known.has(task_id))
  // Everybody locks experiences in the same order.
  for (const claimant of left.sort((a, b) => (a.experience_id < b.experience_id ? -1 : 1))) {
    const counted = await claimCounted(trx, claimant, workerId)
    if (counted === 'held') held.push(claimant.job_id)
    else if (counted) claimed.push(counted)
  }
  if (claimed.length > 0) failpoint('claim.after')
  return { claimed: await onOurClock(trx, claimed), held }
}

/** Times of attempts are stored by the database's clock. A run compares them with the clock of its machine, which may be another. */
async function onOurClock(trx: Trx, tasks: Claimed[]): Promise<Claimed[]> {
  const isPutOff = ({ chains }: Claimed) =>
    chains.some(({ entries }) => entries.some(({ retry_at }) => retry_at !== null))
  if (!tasks.some(isPutOff)) return tasks
  const aheadMs = Date.now() - (await databaseTime(trx)).getTime()
  const ours = (entry: EntryRow): EntryRow => ({
    ...entry,
    retry_at: entry.retry_at && new Date(entry.retry_at.getTime() + aheadMs),
  })
  return tasks.map(task => ({
    ...task,
    chains: task.chains.map(chain => ({ ...chain, entries: chain.entries.map(ours) })),
  }))
}

const unowned = sql`(t.status = 'Waiting' or (t.status = 'Running' and t.worker_id is null))`

const taken = (claim: RawBuilder<unknown>, workerId: string) => sql`
  status = 'Running', claim = ${claim}, worker_id = ${workerId}, started_at = coalesce(started_at, now()), change = nextval('changes')`

/**
 * One statement for all tasks of experiences without a limit. They come as arrays: of a JSON text PostgreSQL expects a hundred rows, and may
 * then read all open tasks in place of these few.
 */
async function claimFreely(trx: Trx, claimants: readonly Claimant[], workerId: string): Promise<Claimed[]> {
  const all = (part: keyof Claimant): string[] => claimants.map(claimant => claimant[part])
  const { rows } = await sql<TaskJson>`
    with locked as (
      select t.task_id, w.claim from tasks t join unnest(${all('task_id')}::uuid[], ${all('job_id')}::uuid[], ${all('claim')}::uuid[]) as w (task_id, job_id, claim)
        on t.task_id = w.task_id and t.job_id = w.job_id
      where ${unowned}
        and not exists (select from experiences e where e.experience_id = t.experience_id and e.max_running is not null)
      for no key update of t skip locked
    ), claimed as (
      update tasks t set ${taken(sql`locked.claim`, workerId)} from locked where t.task_id = locked.task_id returning t.*
    ) select claimed.*, ${chainsOf(sql`claimed.task_id`)} as chains, pg_notify(${CHANGE_CHANNEL}, task_id::text) from claimed`.execute(
    trx,
  )
  return rows.map(row => ({ ...taskOf(row), counted: false }))
}

interface Counted {
  experience_id: string
  max_running: number | null
}

async function claimCounted(
  trx: Trx,
  { task_id, job_id, claim }: Claimant,
  workerId: string,
): Promise<Claimed | 'held' | null> {
  const claimable = sql<Counted>`
    select t.experience_id, e.max_running from tasks t left join experiences e using (experience_id)
    where t.task_id = ${task_id} and t.job_id = ${job_id} and ${unowned}`
  const { rows } = await sql<Counted>`${claimable} for no key update of t skip locked`.execute(trx)
  const found = rows[0]
  if (!found) return (await claimable.execute(trx)).rows.length > 0 ? 'held' : null
  const isFull = found.max_running !== null && (await fullOrHeld(trx, found.experience_id, found.max_running))
  if (isFull === 'held') return 'held'
  if (isFull) {
    await trx.updateTable('tasks').set({ job_id: null }).where('task_id', '=', task_id).execute()
    return null
  }
  const { rows: claimed } =
    await sql<TaskRow>`update tasks set ${taken(sql`${claim}`, workerId)} where task_id = ${task_id} returning *`.execute(
      trx,
    )
  await notifyChange(trx, task_id)
  const [whole] = await withChains(trx, claimed)
  return { ...(whole as WholeTask), counted: true }
}

/** Of two that look for a free place and for a task to take it, the second one sees what the first one did. */
const placesOf = (experienceId: string) => sql`hashtextextended(${experienceId}, 0)`

/** A take waits for no lock. */
async function fullOrHeld(trx: Trx, experienceId: string, maxRunning: number): Promise<boolean | 'held'> {
  const tried = await sql<{
    mine: boolean
  }>`select pg_try_advisory_xact_lock(${placesOf(experienceId)}) as mine`.execute(trx)
  if (!tried.rows[0]?.mine) return 'held'
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from tasks where experience_id = ${experienceId} and status = 'Running' and worker_id is not null`.execute(
    trx,
  )
  return (rows[0]?.count ?? 0) >= maxRunning
}

/** Locks the next parked task of an experience. The states are literals in the SQL text: only then PostgreSQL uses the partial index. */
export async function nextParked(trx: Trx, experienceId: string): Promise<TaskRow | undefined> {
  await sql`select pg_advisory_xact_lock(${placesOf(experienceId)})`.execute(trx)
  const { rows } = await sql<TaskRow>`
    select * from tasks where experience_id = ${experienceId} and job_id is null and worker_id is null and status in ('Waiting', 'Running')
    order by created_at limit 1 for update skip locked`.execute(trx)
  return rows[0]
}

export async function setJob(trx: Trx, taskId: string, jobId: string): Promise<void> {
  await trx.updateTable('tasks').set({ job_id: jobId }).where('task_id', '=', taskId).execute()
}

/** What the run has used of its limits. */
export interface Spent {
  seconds: number
  rescues?: number
}

/** Releases a task without ending it: its running entries wait again. Null if the claim was lost. */
export async function releaseTask(
  trx: Trx,
  { task_id: taskId, claim }: Claim,
  { lane, jobId }: { lane: TaskLane; jobId: string },
  { seconds, rescues = 0 }: Spent,
): Promise<{ cancelled: boolean } | null> {
  const row = await trx
    .updateTable('tasks')
    .set(eb => ({
      worker_id: null,
      lane,
      job_id: jobId,
      claim: null,
      spent_seconds: eb('spent_seconds', '+', seconds),
      rescues: eb('rescues', '+', rescues),
      change: nextChange,
    }))
    .where('task_id', '=', taskId)
    .where('claim', '=', claim)
    .where('status', '=', 'Running')
    .returning('cancel_requested')
    .executeTakeFirst()
  if (!row) return null
  await stopEntries(trx, taskId)
  return { cancelled: row.cancel_requested }
}

/** The running entries of a task that has no worker any more wait again. Their attempts were cut off, and are none that failed. */
export async function stopEntries(trx: Trx, taskId: string): Promise<void> {
  await sql`update entries set status = 'Waiting', cut_off = cut_off + 1, change = nextval('changes') from chains
    where chains.chain_id = entries.chain_id and task_id = ${taskId} and entries.status = 'Running'`.execute(trx)
  await notifyChange(trx, taskId)
}
