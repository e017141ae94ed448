// Queries about erasures: what is to go, who works on it, and the receipt of it.
import { type Selectable, sql } from 'kysely'
import { isId } from '#kit/ids.ts'
import { sealedFor } from '#kit/secret/secrets.ts'
import { type Db, json, type Queries, type Trx } from '../database.ts'
import { type ErasureCounts, erasedKinds } from '../tables/guest-tables.ts'
import type { Tables } from '../tables.ts'
import { requireFound, type Visible } from '../visible.ts'

export type ErasureRow = Selectable<Tables['erasures']>
export type ErasureLine = Selectable<Tables['erasure_lines']>

/** A process that falls silent for this long has died. */
const LEASE_SECONDS = 20

export const noCounts = Object.fromEntries(erasedKinds.map(kind => [kind, 0])) as ErasureCounts

export async function insertErasure(trx: Trx, { actor, counts, ...row }: ErasureRow): Promise<void> {
  await trx
    .insertInto('erasures')
    .values({ ...row, actor: actor && json(actor), counts: json(counts) })
    .execute()
}

/** One that has not yet taken the person away, with the same reach. The caller has locked the person. */
export async function findRunning(
  trx: Trx,
  { profile_id, covers, takes_shared }: Pick<ErasureRow, 'profile_id' | 'covers' | 'takes_shared'>,
): Promise<ErasureRow | undefined> {
  const { rows } = await sql<ErasureRow>`
    select * from erasures where profile_id = ${profile_id} and covers is not distinct from ${covers}::text[] and takes_shared = ${takes_shared}
    order by created_at limit 1`.execute(trx)
  return rows[0]
}

export async function readErasure(db: Queries, visible: Visible, id: string): Promise<ErasureRow> {
  if (!isId(id)) return requireFound<ErasureRow>(undefined, 'erasure', id)
  const isSeen = visible === null ? sql`true` : sql`seen_by <@ ${[...visible]}::text[]`
  const { rows } = await sql<ErasureRow>`select * from erasures where erasure_id = ${id} and ${isSeen}`.execute(db)
  return requireFound(rows[0], 'erasure', id)
}

export async function readErasureByHash(db: Queries, hash: Buffer): Promise<ErasureRow | undefined> {
  return db.selectFrom('erasures').selectAll().where('receipt_hash', '=', hash).executeTakeFirst()
}

export const readErasureLines = (db: Queries, id: string): Promise<ErasureLine[]> =>
  db
    .selectFrom('erasure_lines')
    .selectAll()
    .where('erasure_id', '=', id)
    .orderBy('task_id')
    .orderBy('what')
    .orderBy('index')
    .execute()

/** The deliveries of one task that have a line, by their index. */
export async function deliveriesTold(db: Queries, erasureId: string, taskId: string): Promise<number[]> {
  const rows = await db
    .selectFrom('erasure_lines')
    .select('index')
    .where('erasure_id', '=', erasureId)
    .where('what', '=', 'delivery')
    .where('task_id', '=', taskId)
    .execute()
  return rows.map(({ index }) => index)
}

/** Those that a worker should go on with. */
export async function dueErasures(db: Queries, limit: number): Promise<string[]> {
  const { rows } = await sql<{ erasure_id: string }>`
    select erasure_id from erasures where next_at <= now() and (leased_until is null or leased_until < now())
    order by next_at limit ${limit}`.execute(db)
  return rows.map(row => row.erasure_id)
}

/** Undefined if another process works on it, or nothing is left to do. Call it again to keep it. */
export async function leaseErasure(db: Queries, id: string, holder: string): Promise<ErasureRow | undefined> {
  const { rows } = await sql<ErasureRow>`
    update erasures set leased_by = ${holder}, leased_until = now() + make_interval(secs => ${LEASE_SECONDS})
    where erasure_id = ${id} and next_at is not null and (leased_by is null or leased_by = ${holder} or leased_until < now())
    returning *`.execute(db)
  return rows[0]
}

/** Gives the lease up. */
export async function saveErasure(
  db: Queries,
  id: string,
  change: Partial<Pick<ErasureRow, 'status' | 'receipt' | 'signature' | 'key_id' | 'done_at'>> &
    Pick<ErasureRow, 'next_at'>,
): Promise<void> {
  await db
    .updateTable('erasures')
    .set({ ...change, leased_by: null, leased_until: null, updated_at: new Date() })
    .where('erasure_id', '=', id)
    .execute()
}

export async function addCounts(trx: Trx, id: string, more: Partial<ErasureCounts>): Promise<void> {
  const row = await trx
    .selectFrom('erasures')
    .select('counts')
    .where('erasure_id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  const counts = Object.fromEntries(erasedKinds.map(kind => [kind, (row.counts[kind] ?? 0) + (more[kind] ?? 0)]))
  await trx
    .updateTable('erasures')
    .set({ counts: json(counts) })
    .where('erasure_id', '=', id)
    .execute()
}

/** The person is gone: what told of them in the erasure goes too. */
export async function forgetPerson(trx: Trx, id: string): Promise<void> {
  await trx.updateTable('erasures').set({ profile_id: null, actor: null }).where('erasure_id', '=', id).execute()
}

/** A line that is there already stays as it is: it was written by a process that died after it. */
export async function insertLines(
  db: Queries,
  lines: readonly Omit<ErasureLine, 'created_at' | 'updated_at'>[],
): Promise<void> {
  if (lines.length === 0) return
  const now = new Date()
  await db
    .insertInto('erasure_lines')
    .values(lines.map(line => ({ ...line, created_at: now, updated_at: now })))
    .onConflict(conflict => conflict.columns(['erasure_id', 'what', 'task_id', 'index']).doNothing())
    .execute()
}

export async function updateLine(
  db: Queries,
  { erasure_id, what, task_id, index }: Pick<ErasureLine, 'erasure_id' | 'what' | 'task_id' | 'index'>,
  change: Pick<ErasureLine, 'state' | 'code' | 'reason' | 'sealed' | 'tries' | 'next_at'>,
): Promise<void> {
  await db
    .updateTable('erasure_lines')
    .set({ ...change, updated_at: new Date() })
    .where('erasure_id', '=', erasure_id)
    .where('what', '=', what)
    .where('task_id', '=', task_id)
    .where('index', '=', index)
    .execute()
}

const SIGNING_KEY = sealedFor.signingKey()

/** The sealed key that signs receipts: the first one that any process stored. */
export async function signingKeyOf(db: Db, made: () => Buffer): Promise<Buffer> {
  const read = () => db.selectFrom('deployment').select('value').where('key', '=', SIGNING_KEY).executeTakeFirst()
  const stored = await read()
  if (stored) return stored.value
  await db
    .insertInto('deployment')
    .values({ key: SIGNING_KEY, value: made() })
    .onConflict(conflict => conflict.column('key').doNothing())
    .execute()
  return ((await read()) as { value: Buffer }).value
}
