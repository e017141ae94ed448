// Queries about renditions: pictures for screens that are stored beside the files of a task.
import { type Selectable, sql } from 'kysely'
import type { Queries, Trx } from '../database.ts'
import type { Tables } from '../tables.ts'
import { forgetUploads } from '../tasks/upload-rows.ts'

export type Rendition = Selectable<Tables['renditions']>

export const findRendition = (db: Queries, source: string, side: number): Promise<Rendition | undefined> =>
  db.selectFrom('renditions').selectAll().where('source', '=', source).where('side', '=', side).executeTakeFirst()

/**
 * Makes an upload the rendition of an input or output. False if that is gone meanwhile, or another process was faster; then the upload stays one
 * that nobody owns. The task is locked, so that its files are not deleted without this one.
 */
export async function keepRendition(trx: Trx, rendition: Rendition): Promise<boolean> {
  const { source, side, task_id, blob, mime } = rendition
  await sql`select from tasks where task_id = ${task_id} for share`.execute(trx)
  const { numAffectedRows } = await sql`
    insert into renditions (source, side, task_id, blob, mime)
    select ${source}, ${side}::int, t.task_id, ${blob}, ${mime} from tasks t
    where t.task_id = ${task_id} and t.files_deleted_at is null and exists (
      select from chains c left join entries e using (chain_id)
      where c.task_id = t.task_id and (e.output ->> 'blob' = ${source} or c.input #>> '{file,blob}' = ${source}))
    on conflict do nothing`.execute(trx)
  if (numAffectedRows === 0n) return false
  await forgetUploads(trx, [blob])
  return true
}
