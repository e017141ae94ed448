// Asset versions that were replaced: kept as long as a task that pinned them may still need them.
import { sql } from 'kysely'
import type { Db } from './database.ts'

/** Removes the rows of versions nobody can need any more; answers their blobs. */
export async function dropReplacedVersions(db: Db, keepDays: number): Promise<string[]> {
  const { rows } = await sql<{ blob: string }>`
    delete from asset_versions v
    where replaced_at < now() - make_interval(days => ${keepDays})
      and not exists (select from assets a where a.version_id = v.version_id)
      and not exists (select from tasks t where t.status in ('Waiting', 'Running') and t.created_at <= v.replaced_at)
    returning blob`.execute(db)
  return rows.map(row => row.blob)
}
