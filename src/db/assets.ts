// Queries about assets: a name, and the versions of the file behind it.
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Queries, Trx } from './database.ts'
import { newestFirst, type Page, type PageRequest } from './page.ts'
import type { Tables } from './tables.ts'
import { isSeen, type Visible } from './visible.ts'

export type AssetVersion = Selectable<Tables['asset_versions']>
/** An asset with the version that stands behind its name now. */
export interface Asset {
  name: string
  experience_id: string
  created_at: Date
  updated_at: Date
  version: AssetVersion
  /** The configurations that name it, in the order of their names. */
  used_by: string[]
}

export async function findAsset(db: Queries, visible: Visible, name: string): Promise<Asset | undefined> {
  const row = await db
    .selectFrom('assets')
    .selectAll()
    .where('name', '=', name)
    .where(isSeen(visible))
    .executeTakeFirst()
  return row && (await withVersions(db, [row]))[0]
}

/** The same, and nobody else replaces or deletes it meanwhile. */
export async function lockAsset(trx: Trx, visible: Visible, name: string): Promise<Asset | undefined> {
  await trx.selectFrom('assets').select('name').where('name', '=', name).where(isSeen(visible)).forUpdate().execute()
  return findAsset(trx, visible, name)
}

export async function listAssets(
  db: Queries,
  visible: Visible,
  where: { experience_id?: string | undefined },
  page: PageRequest,
): Promise<Page<Asset>> {
  const { items, next_cursor } = await newestFirst(db, 'assets', { page, visible, where })
  return { items: await withVersions(db, items), next_cursor }
}

async function withVersions(db: Queries, rows: Selectable<Tables['assets']>[]): Promise<Asset[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ version_id }) => version_id)
  const versions = await db.selectFrom('asset_versions').selectAll().where('version_id', 'in', ids).execute()
  const byId = new Map(versions.map(version => [version.version_id, version]))
  const users = await usersOf(
    db,
    rows.map(({ name }) => name),
  )
  return rows.flatMap(({ version_id, ...row }) => {
    const version = byId.get(version_id)
    // Replaced between the two looks, and even swept: then it is as if the list had been asked for earlier.
    return version ? [{ ...row, version, used_by: users.get(row.name) ?? [] }] : []
  })
}

async function usersOf(db: Queries, names: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await db
    .selectFrom('asset_uses')
    .select(['asset', 'configuration_name'])
    .where('asset', 'in', names)
    .orderBy('configuration_name')
    .execute()
  const users = new Map<string, string[]>()
  for (const { asset, configuration_name } of rows) users.set(asset, [...(users.get(asset) ?? []), configuration_name])
  return users
}

export async function insertAsset(
  trx: Trx,
  asset: { name: string; experience_id: string },
  version: Insertable<Tables['asset_versions']>,
): Promise<void> {
  const { version_id, created_at } = version
  await trx.insertInto('asset_versions').values(version).execute()
  await trx
    .insertInto('assets')
    .values({ ...asset, version_id, created_at, updated_at: created_at })
    .execute()
}

/** The version of before is kept for the tasks that were accepted with it, until it is swept. */
export async function replaceVersion(
  trx: Trx,
  asset: Asset,
  version: Insertable<Tables['asset_versions']>,
): Promise<void> {
  const { version_id, created_at } = version
  await trx.insertInto('asset_versions').values(version).execute()
  await trx.updateTable('assets').set({ version_id, updated_at: created_at }).where('name', '=', asset.name).execute()
  await retire(trx, asset.version.version_id)
}

export async function deleteAsset(trx: Trx, asset: Asset): Promise<void> {
  await trx.deleteFrom('assets').where('name', '=', asset.name).execute()
  await retire(trx, asset.version.version_id)
}

async function retire(trx: Trx, versionId: string): Promise<void> {
  const retired = { replaced_at: new Date() }
  await trx.updateTable('asset_versions').set(retired).where('version_id', '=', versionId).execute()
}

/** The configurations that name it. */
export const assetUsers = async (db: Queries, name: string): Promise<string[]> =>
  (await usersOf(db, [name])).get(name) ?? []

/** Versions replaced before then that no task can need any more; locked. */
export async function lockUnusedVersions(
  trx: Trx,
  before: Date,
  limit: number,
): Promise<{ version_id: string; blob: string }[]> {
  const { rows } = await sql<{ version_id: string; blob: string }>`
    select version_id, blob from asset_versions v
    where replaced_at < ${before} and not exists (
      select from chains c join tasks t using (task_id)
      where t.files_deleted_at is null and c.assets -> v.name ->> 'blob' = v.blob
    )
    order by replaced_at limit ${limit} for update of v skip locked`.execute(trx)
  return rows
}

export async function deleteVersions(trx: Trx, versionIds: readonly string[]): Promise<void> {
  if (versionIds.length > 0) await trx.deleteFrom('asset_versions').where('version_id', 'in', versionIds).execute()
}
