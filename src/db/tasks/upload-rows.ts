// Queries about uploads: blobs that are stored but not yet owned by a row.
import { type RawBuilder, sql } from 'kysely'
import { Problem } from '#kit/errors.ts'
import { failpoint } from '#kit/failpoint.ts'
import { json, type Queries, type Trx } from '../database.ts'

export async function rememberUpload(db: Queries, blob: string): Promise<void> {
  failpoint('note.before')
  await db
    .insertInto('uploads')
    .values({ blob, created_at: sql`now()` })
    // The first try was committed, only its answer was lost.
    .onConflict(conflict => conflict.column('blob').doNothing())
    .execute()
  failpoint('note.after')
}

/** Nobody owns these any more, nor the renditions made of them: the sweeper deletes them all. */
export async function disownFiles(trx: Trx, blobs: readonly string[]): Promise<void> {
  if (blobs.length === 0) return
  await sql`
    with unseen as (delete from renditions where source = any(${[...blobs]}::text[]) returning blob)
    insert into uploads (blob, created_at)
    select blob, now() from (select unnest(${[...blobs]}::text[]) as blob union select blob from unseen) as disowned
    order by blob on conflict (blob) do nothing`.execute(trx)
}

/** Resets the age of uploads whose request is still alive. */
export async function refreshUploads(db: Queries, blobs: readonly string[]): Promise<void> {
  await db.updateTable('uploads').set({ created_at: sql`now()` }).where('blob', 'in', blobs).execute()
}

/** Runs in the transaction that makes a row their owner: from its commit on the sweeper leaves them alone. */
export async function forgetUploads(queries: Queries, blobs: readonly string[]): Promise<void> {
  if (blobs.length > 0) await owning(sql`with ${owned(blobs)} select ${allOwned(blobs)}`, queries)
}

/**
 * Parts of a statement that makes a row the owner of uploads: `owned` takes them over, and `allOwned` fails if one is gone. The blobs
 * are passed as JSON: an array whose length PostgreSQL can count gets a plan of its own, and planning costs more than the rest.
 * `may`: whether the statement writes at all. `isOwner`: it was run before, and only its answer was lost.
 */
export const owned = (blobs: readonly string[], may = sql`true`): RawBuilder<unknown> => sql`owned as (
      delete from uploads
      where blob = any(array(select json_array_elements_text(${json(blobs)}::json))) and going_since is null and ${may} returning blob
    )`

export const allOwned = (blobs: readonly string[], may = sql`true`, isOwner = sql`false`): RawBuilder<unknown> =>
  sql`1 / ((select count(*) from owned) = ${new Set(blobs).size} or not ${may} or ${isOwner})::int as owned`

const DIVISION_BY_ZERO = '22012'

/** Runs a statement with `owned` and `allOwned`. `gone`: what to say when the sweeper took the upload for dead and deletes its file. */
export async function owning<Row>(
  statement: RawBuilder<Row>,
  queries: Queries,
  gone = 'The upload took so long that its file was removed. Send it again.',
): Promise<Row[]> {
  try {
    return (await statement.execute(queries)).rows
  } catch (error) {
    if ((error as { code?: string }).code !== DIVISION_BY_ZERO) throw error
    throw new Problem('unavailable', gone, { retryAfterSeconds: 1 })
  }
}

/** Those of the blobs that no row owns. From now on none of them can get an owner: their files may be deleted. */
export async function condemnUploads(db: Queries, blobs: readonly string[]): Promise<string[]> {
  if (blobs.length === 0) return []
  return condemned(db, sql`select blob from uploads where blob = any(${[...blobs]}::text[]) order by blob for update`)
}

/** Uploads without an owner since before that time, oldest first; condemned as above. */
export const condemnOldUploads = (db: Queries, before: Date, limit: number): Promise<string[]> =>
  condemned(
    db,
    sql`select blob from uploads where created_at < ${before} order by created_at limit ${limit} for update skip locked`,
  )

async function condemned(db: Queries, chosen: RawBuilder<unknown>): Promise<string[]> {
  const { rows } = await sql<{ blob: string }>`
    with chosen as (${chosen}) update uploads u set going_since = coalesce(going_since, now()) from chosen where u.blob = chosen.blob
    returning u.blob`.execute(db)
  return rows.map(({ blob }) => blob)
}

/** Their files are gone. */
export async function forgetCondemned(db: Queries, blobs: readonly string[]): Promise<void> {
  if (blobs.length === 0) return
  await sql`delete from uploads where blob = any(${[...blobs]}::text[]) and going_since is not null`.execute(db)
}
