// Queries about keepsakes: what the code of a guest opens, and the files that tasks make for it.
import { type Selectable, sql } from 'kysely'
import { badField, Problem } from '#kit/errors.ts'
import type { GuestPage } from '#kit/guest/guest-page.ts'
import type { WallState } from '#kit/guest/wall-state.ts'
import { isId } from '#kit/ids.ts'
import { json, type Queries, type Trx } from '../database.ts'
import { byKey } from '../prepared-client.ts'
import type { StoredFile, Tables, TaskStatus } from '../tables.ts'
import { isSeen, requireFound, type Visible } from '../visible.ts'

export type KeepsakeRow = Selectable<Tables['keepsakes']>

/** A keepsake with what its experience says of pages. */
export interface WholeKeepsake extends KeepsakeRow {
  guest_page: GuestPage | null
  name: string | null
  retention_days: number | null
}

/** The code that opened it: the guest's own one, or one that only shows. */
export interface OpenedKeepsake extends WholeKeepsake {
  openedBy: 'owner' | 'share' | 'visit'
  /** Whether it was the guest's own one. */
  isOwner: boolean
}

export async function insertKeepsake(trx: Queries, { consent, ...row }: KeepsakeRow): Promise<void> {
  await trx
    .insertInto('keepsakes')
    .values({ ...row, consent: consent && json(consent) })
    .execute()
}

const whole = sql`k.*, x.guest_page, x.name, x.retention_days from keepsakes k join experiences x using (experience_id)`

const isOpenedBy = (hash: Buffer) => sql`(k.code_hash = ${hash} or k.share_hash = ${hash} or k.visit_hash = ${hash})`

/** All kinds of codes are looked for at once, so that the time it takes does not tell them apart. */
export async function findKeepsakeByHash(db: Queries, hash: Buffer): Promise<OpenedKeepsake | undefined> {
  const { rows } = await sql<WholeKeepsake>`select ${whole} where ${isOpenedBy(hash)}`.execute(db)
  return rows[0] && opened(rows[0], hash)
}

/** An output on the page of a keepsake. */
export interface OpenedFile {
  task_id: string
  file: StoredFile
}

/** What a code opens, and one of its files; that is undefined where there is none, or none yet. */
export async function findFileByHash(
  db: Queries,
  hash: Buffer,
  number: number,
): Promise<{ row: OpenedKeepsake; found: OpenedFile | undefined } | undefined> {
  const { rows } = await sql<WholeKeepsake & { task_id: string | null; output: StoredFile | null }>`
    select ${byKey} f.task_id, f.output, ${whole} left join lateral (
      select t.task_id, (
        select e.output from entries e where e.chain_id = c.chain_id and e.status = 'Succeeded' order by e.index desc limit 1
      ) as output
      from keepsake_files kf join chains c using (chain_id) join tasks t using (task_id)
      where kf.keepsake_id = k.keepsake_id and kf.number = ${number}::int and c.status = 'Succeeded' and t.files_deleted_at is null
    ) f on true where ${isOpenedBy(hash)}`.execute(db)
  if (!rows[0]) return undefined
  const { task_id, output, ...row } = rows[0]
  return { row: opened(row, hash), found: task_id && output?.blob ? { task_id, file: output } : undefined }
}

function opened(row: WholeKeepsake, hash: Buffer): OpenedKeepsake {
  const openedBy = row.code_hash.equals(hash) ? 'owner' : row.share_hash?.equals(hash) ? 'share' : 'visit'
  return { ...row, openedBy, isOwner: openedBy === 'owner' }
}

export async function readKeepsake(db: Queries, visible: Visible, id: string): Promise<WholeKeepsake> {
  if (!isId(id)) return requireFound<WholeKeepsake>(undefined, 'keepsake', id)
  const { rows } = await sql<WholeKeepsake>`
    select ${whole} where k.keepsake_id = ${id} and ${isSeen(visible, 'k.experience_id')}`.execute(db)
  return requireFound(rows[0], 'keepsake', id)
}

/** What was taken back is not changed any more. */
export function requireThere({ erased_at }: Pick<KeepsakeRow, 'erased_at'>): void {
  if (erased_at) throw new Problem('wrong_state', 'The keepsake was taken back: nothing of it can be changed.')
}

export const takenBack = (): Problem => badField('keepsake', 'is the code of a keepsake that was taken back')

/** Gives each chain of a new task its number, behind those of earlier tasks. */
export async function numberFiles(trx: Trx, keepsakeId: string, chainIds: readonly string[]): Promise<void> {
  // The row is locked by the update, so that two tasks never count at once.
  // What is made later has to be approved on its own; of one that is hidden it stays hidden.
  const { numAffectedRows } = await sql`
    update keepsakes set used_at = now(), wall_state = case wall_state when 'approved' then 'waiting' else wall_state end
    where keepsake_id = ${keepsakeId} and erased_at is null`.execute(trx)
  if (numAffectedRows === 0n) throw takenBack()
  await sql`
    insert into keepsake_files (keepsake_id, number, chain_id, experience_id, wall_state)
    select k.keepsake_id, coalesce((select max(number) + 1 from keepsake_files where keepsake_id = ${keepsakeId}), 0) + c.at - 1, c.id, k.experience_id, k.wall_state
    from keepsakes k, unnest(${[...chainIds]}::uuid[]) with ordinality c (id, at) where k.keepsake_id = ${keepsakeId}`.execute(
    trx,
  )
}

/** One file of a keepsake, as far as it is made. */
export interface KeepsakeFile {
  number: number
  /** Null: the record of the task is gone. */
  task_id: string | null
  status: TaskStatus | null
  files_deleted_at: Date | null
  /** Of the last entry. */
  output: StoredFile | null
  entries: number
  /** Entries that have ended. */
  ended: number
  /** Of the entry that runs. */
  progress: number | null
  started_at: Date | null
  wall_state: WallState
}

/** Its guest agreed to none of it, or it made no file at all: nothing is shown of it, not even a failure. */
export const isLeftOut = ({ status, output }: Pick<KeepsakeFile, 'status' | 'output'>): boolean =>
  status === 'Succeeded' && output === null

/** More than these are not shown on one page. */
const MOST_FILES = 500

export async function listKeepsakeFiles(db: Queries, keepsakeId: string): Promise<KeepsakeFile[]> {
  const { rows } = await sql<KeepsakeFile>`
    select ${byKey} f.number, f.wall_state, c.task_id, c.status, t.files_deleted_at, e.output, e.entries, e.ended, e.progress, e.started_at
    from keepsake_files f left join chains c using (chain_id) left join tasks t using (task_id)
    left join lateral (
      select count(*)::int as entries, count(*) filter (where ended_at is not null)::int as ended,
        (array_agg(output order by index desc) filter (where status = 'Succeeded'))[1] as output,
        (array_agg(progress order by index) filter (where status = 'Running'))[1] as progress,
        (array_agg(started_at order by index) filter (where status = 'Running'))[1] as started_at
      from entries where chain_id = c.chain_id
    ) e on true
    where f.keepsake_id = ${keepsakeId} order by f.number desc limit ${MOST_FILES}`.execute(db)
  return rows.map(row => (row.status === 'Succeeded' ? row : { ...row, output: null }))
}

/** Deletes some whose time is over for so many days, and whose tasks are gone. Until then their pages say that they are over. Returns how many. */
export async function forgetOldKeepsakes(
  db: Queries,
  { keepFilesDays, keepRecordsDays }: { keepFilesDays: number; keepRecordsDays: number },
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from keepsakes where keepsake_id = any(array(
      select k.keepsake_id from keepsakes k join experiences x using (experience_id)
      where k.used_at < now() - make_interval(days => ${keepRecordsDays})
        and k.used_at < now() - make_interval(days => ${keepRecordsDays} + coalesce((x.guest_page ->> 'expires_days')::int, x.retention_days, ${keepFilesDays}))
        and not exists (select from tasks t where t.keepsake_id = k.keepsake_id)
      order by k.used_at limit ${limit}))`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** A code that only shows opens the keepsake from now on, unless the guest's own code was changed meanwhile. */
export async function rememberViewCode(
  db: Queries,
  { keepsake_id, code_hash }: Pick<KeepsakeRow, 'keepsake_id' | 'code_hash'>,
  kind: 'share' | 'visit',
  hash: Buffer,
): Promise<void> {
  await db
    .updateTable('keepsakes')
    .set({ [`${kind}_hash`]: hash })
    .where('keepsake_id', '=', keepsake_id)
    .where('code_hash', '=', code_hash)
    .execute()
}

/** From now on another code opens it, and no link that was passed on. */
export async function replaceCode(
  trx: Trx,
  { keepsake_id, code_hash, code }: Pick<KeepsakeRow, 'keepsake_id' | 'code_hash' | 'code'>,
): Promise<void> {
  await trx
    .updateTable('keepsakes')
    .set({ code_hash, code, share_hash: null, visit_hash: null })
    .where('keepsake_id', '=', keepsake_id)
    .execute()
}
