// Callbacks: frozen with the end of the run they tell of, then attempted until delivered or given up.
import { type RawBuilder, type Selectable, sql } from 'kysely'
import { failpoint } from '#kit/failpoint.ts'
import { NIL } from '#kit/ids.ts'
import type { Db, Queries, Trx } from '../database.ts'
import { atOurs } from '../ping.ts'
import type { CallbackStatus, Tables } from '../tables.ts'
import type { SigningSecrets } from './experience-rows.ts'

export type CallbackRow = Selectable<Tables['callbacks']>

/** Everything an attempt needs. */
export type ClaimedCallback = SigningSecrets &
  Pick<
    CallbackRow,
    'callback_id' | 'task_id' | 'experience_id' | 'event' | 'url' | 'receiver' | 'body' | 'attempt_count'
  > & {
    /** The job that it was claimed for. */
    job_id: string
    /** Of the task, if that is traced and still there. */
    traceparent: string | null
  }

interface Attempt {
  at: Date
  status_code: number | null
  error: string | null
  duration_ms: number
}

/** A callback, and the only job that can claim it. */
interface Wanted {
  callback_id: string
  job_id: string
}

const pairs = (wanted: readonly Wanted[]) => {
  const all = (part: keyof Wanted): string[] => wanted.map(each => each[part])
  return sql`unnest(${all('callback_id')}::uuid[], ${all('job_id')}::uuid[]) as w (callback_id, job_id)`
}

/** Claims callbacks for one attempt each, in the transaction that takes their jobs. `held`: jobs of those that somebody else has locked. */
export async function claimCallbacks(
  trx: Trx,
  wanted: readonly Wanted[],
  workerId: string,
): Promise<{ claimed: ClaimedCallback[]; held: string[] }> {
  const claimed = await claimThem(trx, wanted, workerId, sql`for no key update of c skip locked`)
  if (claimed.length === wanted.length) return { claimed, held: [] }
  const { rows } = await sql<{ job_id: string }>`
    select c.job_id from callbacks c join ${pairs(wanted)} on c.callback_id = w.callback_id and c.job_id = w.job_id where c.status = 'Waiting'`.execute(
    trx,
  )
  const known = new Set(claimed.map(({ job_id }) => job_id))
  return { claimed, held: rows.map(({ job_id }) => job_id).filter(id => !known.has(id)) }
}

/** Claims a callback whose job never was in the queue. Waits for whoever has it locked. Repeated after a lost answer, it returns the same. */
export async function claimCallback(
  queries: Queries,
  wanted: Wanted,
  workerId: string,
): Promise<ClaimedCallback | undefined> {
  const [claimed] = await claimThem(queries, [wanted], workerId, sql`for no key update of c`)
  return claimed
}

async function claimThem(
  queries: Queries,
  wanted: readonly Wanted[],
  workerId: string,
  lock: RawBuilder<unknown>,
): Promise<ClaimedCallback[]> {
  failpoint('callback_claim.before')
  const { rows } = await sql<ClaimedCallback>`
    with locked as (
      select c.callback_id from callbacks c join ${pairs(wanted)} on c.callback_id = w.callback_id and c.job_id = w.job_id
      where c.status = 'Waiting' ${lock}
    ), claimed as (
      update callbacks c set worker_id = ${workerId}, next_attempt_at = now() from locked where c.callback_id = locked.callback_id returning c.*
    ) select claimed.*, webhook_secret, old_webhook_secret, old_webhook_secret_until, webhook_headers,
      (select traceparent from tasks t where t.task_id = claimed.task_id)
    from claimed left join experiences using (experience_id)`.execute(queries)
  if (rows.length > 0) failpoint('callback_claim.after')
  return rows
}

interface Attempted {
  callback_id: string
  /** The job that made the attempt. */
  attemptedBy: string
  status: CallbackStatus
  /** Time and job of the next attempt; null if there is none. */
  next: { at: Date; job_id: string } | null
}

/**
 * Writes an attempt and the callback's new state. If the callback has moved to another job meanwhile, only the attempt is written and the
 * result is false. Repeated after a lost answer, it lists the attempt once.
 */
export async function recordAttempt(
  queries: Queries,
  { callback_id, attemptedBy, status, next }: Attempted,
  attempt: Attempt,
): Promise<boolean> {
  const { rows } = await sql<{ updated: boolean }>`
    with updated as (
      update callbacks set status = ${status}, next_attempt_at = ${next ? atOurs(next.at) : null}, job_id = ${next?.job_id ?? null}, worker_id = null,
        attempt_count = attempt_count + 1, updated_at = now()
      where callback_id = ${callback_id} and job_id = ${attemptedBy} returning callback_id
    ), noted as (
      insert into callback_attempts (callback_id, at, duration_ms, status_code, error)
      select callback_id, ${attempt.at}::timestamptz, ${attempt.duration_ms}::int, ${attempt.status_code}::int, ${attempt.error}::text
      from callbacks where callback_id = ${callback_id}
      on conflict (callback_id, at) do nothing
    ) select exists (select from updated) as updated`.execute(queries)
  return rows[0]?.updated ?? false
}

/** Opens a callback again, for that job. */
export async function reopenCallback(trx: Trx, callbackId: string, jobId: string): Promise<CallbackRow | undefined> {
  const now = sql<Date>`now()`
  return trx
    .updateTable('callbacks')
    .set({
      status: 'Waiting',
      attempt_count: 0,
      next_attempt_at: now,
      job_id: jobId,
      worker_id: null,
      updated_at: now,
    })
    .where('callback_id', '=', callbackId)
    .returningAll()
    .executeTakeFirst()
}

/** Well above the time-out of an attempt. */
const LONGEST_ATTEMPT_SECONDS = 60

export type Stranded = Pick<CallbackRow, 'callback_id' | 'receiver' | 'job_id' | 'worker_id'>

/** Waiting callbacks that a dead worker had claimed, or one that is `lost`. */
export async function abandonedCallbacks(trx: Trx, lost: readonly string[]): Promise<Stranded[]> {
  const { rows } = await sql<Stranded>`
    select callback_id, receiver, job_id, worker_id from callbacks c
    where status = 'Waiting' and worker_id is not null
      and (not exists (select from workers w where w.worker_id = c.worker_id) or worker_id = any(${[...lost]}::uuid[]))
    for update skip locked`.execute(trx)
  return rows
}

/** `due`: as PostgreSQL writes it, because a Date would cut its microseconds off. */
export type Overdue = Stranded & { due: string }

/**
 * Waiting callbacks that are overdue, the longest first: unclaimed ones after `seconds`, claimed ones after the longest attempt. `after`: the
 * last one of the round before.
 */
export async function overdueCallbacks(
  db: Db,
  seconds: number,
  after: Pick<Overdue, 'due' | 'callback_id'> | null,
  limit: number,
): Promise<Overdue[]> {
  const { rows } = await sql<Overdue>`
    select callback_id, receiver, job_id, worker_id, next_attempt_at::text as due from callbacks
    where status = 'Waiting' and (next_attempt_at, callback_id) > (${after?.due ?? '-infinity'}::timestamptz, ${after?.callback_id ?? NIL}::uuid)
    and next_attempt_at < now() - make_interval(secs => case when worker_id is null then ${seconds}::int else ${LONGEST_ATTEMPT_SECONDS}::int end)
    order by next_attempt_at, callback_id limit ${limit}`.execute(db)
  return rows
}

/** Gives a callback to another job; false if its old job has changed it meanwhile. */
export async function moveCallback(trx: Trx, { callback_id, job_id }: Stranded, jobId: string): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('callbacks')
    .set({ job_id: jobId, worker_id: null })
    .where('callback_id', '=', callback_id)
    .where('status', '=', 'Waiting')
    .where('job_id', 'is not distinct from', job_id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
