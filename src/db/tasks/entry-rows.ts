// A worker's writes about its entries. Every write is fenced: it takes effect only while the worker holds the claim.
import { type RawBuilder, sql } from 'kysely'
import { failpoint } from '#kit/failpoint.ts'
import type { JsonObject } from '#kit/json.ts'
import { type Db, json } from '../database.ts'
import { CHANGE_CHANNEL } from '../notify.ts'
import { failuresNoted, type NewFailure } from '../nouns/failure-rows.ts'
import { atOurs } from '../ping.ts'
import type { EntryOutput, StoredError, TaskStatus } from '../tables.ts'
import type { EntryRow } from './task-rows.ts'
import { allOwned, owned, owning } from './upload-rows.ts'

export interface Claim {
  task_id: string
  /** A random id, made when the task was claimed; null holds nothing. */
  claim: string | null
}

/** Thrown when another worker has taken over the task: this one must write nothing more. */
export class ClaimLost extends Error {
  constructor() {
    super('the claim was lost')
  }
}

export interface EntryEnd {
  index: number
  status: 'Succeeded' | 'Failed' | 'Cancelled' | 'Skipped'
  result?: JsonObject | null
  error?: StoredError | null
  warnings?: string[]
  output?: EntryOutput | null
  explanation?: JsonObject | null
  /** Its checkpoint and its place go: the next run begins the delivery anew. */
  forgets?: boolean
}

const fence = ({ task_id, claim }: Claim): RawBuilder<unknown> =>
  // The shared lock makes a worker that takes over the task wait until this write is committed.
  sql`fence as (select task_id, run from tasks where task_id = ${task_id} and claim = ${claim} and status = 'Running' for share)`

const changeNotified = ({ task_id }: Claim): RawBuilder<unknown> =>
  sql`(select pg_notify(${CHANGE_CHANNEL}, ${task_id}))`

async function fenced(db: Db, query: RawBuilder<{ held: boolean }>): Promise<void> {
  const rows = await owning(query, db, 'A file was removed before it had an owner. It is made again.')
  if (!rows[0]?.held) throw new ClaimLost()
}

const isHeld = sql`exists (select from fence)`

// The statements here may be run twice, when their first answer was lost: counts are written as the values that they have then.

type Counts<Count extends 'attempts' | 'deaths'> = Pick<EntryRow, 'index' | Count>

/** `entries`: with this attempt. */
export async function beginEntries(
  db: Db,
  claim: Claim,
  chainId: string,
  entries: readonly Counts<'attempts'>[],
): Promise<void> {
  const rows = entries.map(({ index, attempts }) => ({ index, attempts }))
  failpoint('begin.before')
  await fenced(
    db,
    sql`with ${fence(claim)}, begun as (
      update entries e set status = 'Running', started_at = coalesce(started_at, now()), retry_at = null, progress = 0,
        attempts = r.attempts, change = nextval('changes')
      from fence, json_to_recordset(${JSON.stringify(rows)}::json) as r (index int, attempts int)
      where e.chain_id = ${chainId} and e.index = r.index
    ), begun_chain as (
      update chains set status = 'Running' from fence where chain_id = ${chainId} and status = 'Waiting'
    ) select exists (select from fence) as held, ${changeNotified(claim)}`,
  )
  failpoint('begin.after')
}

/** How entries of a chain ended, and the blobs they own from then on. */
interface EntryEnds {
  chain_id: string
  ends: readonly EntryEnd[]
  blobs: readonly string[]
}

const failuresOf = (chain_id: string, ends: readonly EntryEnd[]): NewFailure[] =>
  ends.flatMap(({ index, status, error }) =>
    error && (status === 'Failed' || status === 'Cancelled') ? [{ chain_id, index, outcome: status, error }] : [],
  )

/** Most entries succeed: their statement stays as short as it was. */
const noted = (failures: readonly NewFailure[]): RawBuilder<unknown> =>
  failures.length > 0 ? sql`, ${failuresNoted(sql`fence`, failures)}` : sql``

export async function endEntries(db: Db, claim: Claim, { chain_id, ends, blobs }: EntryEnds): Promise<void> {
  failpoint('end.before')
  const isOutput = sql`exists (select from entries where chain_id = ${chain_id} and output ->> 'blob' = any(${[...blobs]}::text[]))`
  await fenced(
    db,
    sql`with ${fence(claim)}, entries_ended as (
      update entries e set status = r.status, progress = case when r.status = 'Succeeded' then 1 else e.progress end,
        ended_at = now(), retry_at = null, result = r.result, error = r.error, warnings = coalesce(r.warnings, '[]'::json),
        output = r.output, explanation = r.explanation, checkpoint = case when r.forgets then null else e.checkpoint end,
        place_values = case when r.forgets then null else e.place_values end, change = nextval('changes')
      from fence, json_to_recordset(${JSON.stringify(ends)}::json)
        as r (index int, status text, result json, error json, warnings json, output json, explanation json, forgets boolean)
      where e.chain_id = ${chain_id} and e.index = r.index
    ), ${owned(blobs, isHeld)}${noted(failuresOf(chain_id, ends))}
    select exists (select from fence) as held, ${allOwned(blobs, isHeld, isOutput)}, ${changeNotified(claim)}`,
  )
  failpoint('end.after')
}

/** Defers an entry until `retryAt`. */
export async function deferEntry(
  db: Db,
  claim: Claim,
  chainId: string,
  { index, attempts }: Counts<'attempts'>,
  retryAt: Date,
  error: StoredError,
): Promise<void> {
  // Somebody's word is waited for: nothing went wrong.
  const asks = error.code === 'needs_consent'
  const failures: NewFailure[] = asks ? [] : [{ chain_id: chainId, index, outcome: 'Deferred', error }]
  await fenced(
    db,
    sql`with ${fence(claim)}, deferred as (
      update entries set status = 'Waiting', retry_at = ${atOurs(retryAt)}, attempts = ${attempts}, error = ${JSON.stringify(error)}::json,
        asks_since = case when ${asks} then coalesce(asks_since, now()) else asks_since end, change = nextval('changes')
      from fence where chain_id = ${chainId} and index = ${index}
    )${noted(failures)} select exists (select from fence) as held, ${changeNotified(claim)}`,
  )
}

/** A chain of a group has ended while others go on: guests get its file, and callers its status. */
export async function endChain(db: Db, claim: Claim, chainId: string, status: TaskStatus): Promise<void> {
  await fenced(
    db,
    sql`with ${fence(claim)}, ended as (update chains set status = ${status} from fence where chain_id = ${chainId})
    select exists (select from fence) as held, ${changeNotified(claim)}`,
  )
}

export async function saveProgress(
  db: Db,
  claim: Claim,
  chainId: string,
  progress: ReadonlyMap<number, number>,
): Promise<void> {
  const rows = [...progress].map(([index, fraction]) => ({ index, fraction }))
  await fenced(
    db,
    sql`with ${fence(claim)}, moved as (
      update entries e set progress = r.fraction, change = nextval('changes')
      from fence, json_to_recordset(${JSON.stringify(rows)}::json) as r (index int, fraction real)
      where e.chain_id = ${chainId} and e.index = r.index and e.status = 'Running'
    ) select exists (select from fence) as held, ${changeNotified(claim)}`,
  )
}

/** What all later attempts of a delivery go on from. */
export type ForLater = { checkpoint: JsonObject } | { place_values: JsonObject }

export async function saveForLater(
  db: Db,
  claim: Claim,
  chainId: string,
  index: number,
  saved: ForLater,
): Promise<void> {
  const columns = Object.entries(saved).map(
    ([column, value]) => sql`${sql.ref(column)} = ${JSON.stringify(value)}::json`,
  )
  failpoint('checkpoint.before')
  await fenced(
    db,
    sql`with ${fence(claim)}, saved as (
      update entries set ${sql.join(columns)} from fence where chain_id = ${chainId} and index = ${index}
    ) select exists (select from fence) as held`,
  )
  failpoint('checkpoint.after')
}

/** For what no attempt goes on with: unless a new run has saved another one meanwhile. */
export async function replaceCheckpoint(
  db: Db,
  { chain_id, index }: { chain_id: string; index: number },
  before: JsonObject | null,
  checkpoint: JsonObject,
): Promise<void> {
  await db
    .updateTable('entries')
    .set({ checkpoint: json(checkpoint) })
    .where('chain_id', '=', chain_id)
    .where('index', '=', index)
    .where(sql<string>`checkpoint::text`, '=', JSON.stringify(before))
    .execute()
}

/** Counts the death of a media process on these entries. */
export async function saveDeaths(
  db: Db,
  claim: Claim,
  chainId: string,
  entries: readonly Counts<'deaths'>[],
): Promise<void> {
  const rows = entries.map(({ index, deaths }) => ({ index, deaths }))
  await fenced(
    db,
    sql`with ${fence(claim)}, counted as (
      update entries e set deaths = r.deaths from fence, json_to_recordset(${JSON.stringify(rows)}::json) as r (index int, deaths int)
      where e.chain_id = ${chainId} and e.index = r.index
    ) select exists (select from fence) as held`,
  )
}

/** Replaces the URL of the input by the downloaded file. */
export async function keepDownload(db: Db, claim: Claim, chainId: string, input: object, blob: string): Promise<void> {
  failpoint('download.before')
  const isInput = sql`exists (select from chains where chain_id = ${chainId} and input #>> '{file,blob}' = ${blob})`
  await fenced(
    db,
    sql`with ${fence(claim)}, kept as (
      update chains set input = ${JSON.stringify(input)}::json from fence where chain_id = ${chainId}
    ), ${owned([blob], isHeld)}
    select exists (select from fence) as held, ${allOwned([blob], isHeld, isInput)}`,
  )
  failpoint('download.after')
}
