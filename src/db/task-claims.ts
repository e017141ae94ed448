// Who runs a task: a worker claims it, gives it back, or finds that its experience runs as many as it may.
import { sql } from 'kysely'
import { failpoint } from '#kit/failpoint.ts'
import { CHANGE_CHANNEL, nextChange, notifyChange } from './changes.ts'
import type { Db, Trx } from './database.ts'
import { chainsOf, type TaskJson, type TaskRow, taskOf, type WholeTask, withChains } from './tasks.ts'

/**
 * Takes a task for a worker: only one gets it, and gets it again if the first answer was lost. `full` means that the experience runs as many as it may;
 * the task then waits without a job until one of its siblings ends.
 */
export async function claimTask(
  db: Db,
  taskId: string,
  jobId: string,
  workerId: string,
): Promise<Claimed | 'full' | null> {
  failpoint('claim.before')
  const claimed = (await claimFreely(db, taskId, jobId, workerId)) ?? (await claimCounted(db, taskId, jobId, workerId))
  if (claimed) failpoint('claim.after')
  return claimed
}

export type Claimed = WholeTask & {
  /** Its experience has a limit, so others may wait for this one to end. */
  counted: boolean
}

const claimable = (taskId: string, jobId: string, workerId: string) => sql`
  t.task_id = ${taskId} and t.job_id = ${jobId} and (t.status = 'Waiting' or (t.status = 'Running' and (t.worker_id is null or t.worker_id = ${workerId})))`

const taken = (workerId: string) => sql`
  status = 'Running', lease = lease + 1, worker_id = ${workerId}, started_at = coalesce(started_at, now()), change = nextval('changes')`

/** In one statement, for the experiences without a limit. */
async function claimFreely(db: Db, taskId: string, jobId: string, workerId: string): Promise<Claimed | null> {
  const { rows } = await sql<TaskJson>`
    with claimed as (
      update tasks t set ${taken(workerId)} where ${claimable(taskId, jobId, workerId)}
        and not exists (select from experiences e where e.experience_id = t.experience_id and e.max_running is not null)
      returning t.*
    ) select claimed.*, ${chainsOf(sql`claimed.task_id`)} as chains, pg_notify(${CHANGE_CHANNEL}, task_id::text) from claimed`.execute(
    db,
  )
  const [claimed] = rows
  return claimed ? { ...taskOf(claimed), counted: false } : null
}

async function claimCounted(db: Db, taskId: string, jobId: string, workerId: string): Promise<Claimed | 'full' | null> {
  return db.transaction().execute(async trx => {
    const { rows } = await sql<{ experience_id: string; max_running: number | null }>`
      select t.experience_id, e.max_running from tasks t join experiences e using (experience_id)
      where ${claimable(taskId, jobId, workerId)} for update of t`.execute(trx)
    const found = rows[0]
    if (!found) return null
    if (found.max_running !== null && (await isFull(trx, found.experience_id, found.max_running))) {
      await trx.updateTable('tasks').set({ job_id: null }).where('task_id', '=', taskId).execute()
      return 'full'
    }
    const { rows: claimed } =
      await sql<TaskRow>`update tasks set ${taken(workerId)} where task_id = ${taskId} returning *`.execute(trx)
    await notifyChange(trx, taskId)
    const [whole] = await withChains(trx, claimed)
    return { ...(whole as WholeTask), counted: true }
  })
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

/** Gives a task up without ending it: entries that were under way wait again. Null when the lease is another's. */
export async function releaseTask(
  trx: Trx,
  taskId: string,
  lease: number,
  jobId: string,
  spentSeconds: number,
): Promise<{ cancelled: boolean } | null> {
  const row = await trx
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
    .returning('cancel_requested')
    .executeTakeFirst()
  if (!row) return null
  await sql`update entries set status = 'Waiting', change = nextval('changes') from chains
    where chains.chain_id = entries.chain_id and task_id = ${taskId} and entries.status = 'Running'`.execute(trx)
  await notifyChange(trx, taskId)
  return { cancelled: row.cancel_requested }
}
