// Queries about assets: a name, and the versions of its file.
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Actor } from '#kit/actor.ts'
import { newId } from '#kit/ids.ts'
import { meant, nameForms } from '#kit/text.ts'
import { json, type Queries, type Trx } from '../database.ts'
import { latestFirst, newestFirst, type Page, type PageRequest } from '../page.ts'
import type { Tables, VersionChange } from '../tables.ts'
import { mayBeUsed, requireFound, requireWhole, type Visible } from '../visible.ts'
import { changedBy } from './configuration-versions.ts'

export type AssetVersion = Selectable<Tables['asset_versions']>
/** An asset with its current version. */
export interface Asset {
  name: string
  experience_id: string | null
  history: string
  created_at: Date
  updated_at: Date
  version: AssetVersion
  /** The configurations that name it, sorted by name. */
  used_by: string[]
}

/** One that the caller may use: of its experiences, or shared. */
export async function findAsset(db: Queries, visible: Visible, name: string): Promise<Asset | undefined> {
  const found = await db
    .selectFrom('assets')
    .selectAll()
    .where('name', 'in', nameForms(name))
    .where(mayBeUsed(visible))
    .execute()
  const stored = meant(
    found.map(each => each.name),
    name,
  )
  const row = found.find(each => each.name === stored)
  return row && (await withVersions(db, [row]))[0]
}

export const readAsset = async (db: Queries, visible: Visible, name: string): Promise<Asset> =>
  requireFound(await findAsset(db, visible, name), 'asset', name)

/** The same with its file, for those who may have that. */
export async function wholeAsset(db: Queries, visible: Visible, name: string): Promise<Asset> {
  const asset = await readAsset(db, visible, name)
  requireWhole(visible, asset.experience_id, 'asset', name)
  return asset
}

/** The same, and nobody else replaces or deletes the asset until the transaction ends. */
export const lockAsset = async (trx: Trx, visible: Visible, name: string): Promise<Asset> =>
  requireFound((await lockAssetIfAny(trx, visible, name)) ?? undefined, 'asset', name)

export async function lockAssetIfAny(trx: Trx, visible: Visible, name: string): Promise<Asset | null> {
  const locked = await trx
    .selectFrom('assets')
    .select('name')
    .where('name', 'in', nameForms(name))
    .where(mayBeUsed(visible))
    .orderBy('name')
    .forUpdate()
    .execute()
  // The next statement may see one that was made since: it is not locked, so there is none for the caller.
  const stored = meant(
    locked.map(each => each.name),
    name,
  )
  return stored === undefined ? null : ((await findAsset(trx, visible, stored)) ?? null)
}

/** Those of these names that there are. */
export const readAssetsOf = async (db: Queries, names: readonly string[]): Promise<Asset[]> =>
  names.length === 0
    ? []
    : withVersions(db, await db.selectFrom('assets').selectAll().where('name', 'in', names).execute())

export async function listAssets(
  db: Queries,
  visible: Visible,
  where: { experience_id?: string | null | undefined },
  page: PageRequest,
): Promise<Page<Asset>> {
  const { items, next_cursor } = await newestFirst(db, 'assets', { page, visible, where, shared: true })
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
    // Replaced between the two queries and swept already. Leaving it out is as if the list had been read earlier.
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

/** A new version: its file, how it came to be, and who brought it. */
interface NewVersion {
  version: AssetFile
  change: VersionChange
  restoredFrom?: number
  actor: Actor
}

export type AssetFile = Omit<
  Insertable<Tables['asset_versions']>,
  'history' | 'version' | 'experience_id' | 'changed_by'
>

const versionRow = (
  { version, change, restoredFrom, actor }: NewVersion,
  place: { history: string; version: number; experience_id: string | null },
): Insertable<Tables['asset_versions']> => ({
  ...version,
  ...place,
  change,
  restored_from: restoredFrom ?? null,
  changed_by: json(changedBy(actor)),
})

export async function insertAsset(
  trx: Trx,
  asset: { name: string; experience_id: string | null },
  made: NewVersion,
): Promise<void> {
  const { version_id, created_at } = made.version
  const history = newId()
  const { experience_id } = asset
  await trx
    .insertInto('asset_versions')
    .values(versionRow(made, { history, version: 1, experience_id }))
    .execute()
  await trx
    .insertInto('assets')
    .values({ ...asset, version_id, history, created_at, updated_at: created_at })
    .execute()
}

/** How long and how many replaced versions are kept. */
export interface Keep {
  keepVersionsDays: number
  maxVersions: number
}

/** Tasks that were accepted with the previous version keep it, however long they need it. */
export async function replaceVersion(trx: Trx, asset: Asset, made: NewVersion, keep: Keep): Promise<void> {
  const { version_id, created_at } = made.version
  const { history, experience_id } = asset
  const version = (asset.version.version ?? 0) + 1
  await trx.insertInto('asset_versions').values(versionRow(made, { history, version, experience_id })).execute()
  await trx.updateTable('assets').set({ version_id, updated_at: created_at }).where('name', '=', asset.name).execute()
  await retire(trx, asset.version.version_id, keep.keepVersionsDays)
  await trx
    .updateTable('asset_versions')
    .set({ history: null, sweep_at: sql<Date>`least(sweep_at, now())` })
    .where('history', '=', history)
    .where('version', '<', version - keep.maxVersions)
    .execute()
}

export async function deleteAsset(trx: Trx, asset: Asset, keepDays: number): Promise<void> {
  await trx.deleteFrom('assets').where('name', '=', asset.name).execute()
  await retire(trx, asset.version.version_id, keepDays)
}

async function retire(trx: Trx, versionId: string, keepDays: number): Promise<void> {
  const retired = { replaced_at: sql<Date>`now()`, sweep_at: sql<Date>`now() + ${keepDays} * interval '1 day'` }
  await trx.updateTable('asset_versions').set(retired).where('version_id', '=', versionId).execute()
}

/** The configurations that name the asset. */
export const assetUsers = async (db: Queries, name: string): Promise<string[]> =>
  (await usersOf(db, [name])).get(name) ?? []

export const listAssetVersions = (db: Queries, history: string, page: PageRequest): Promise<Page<AssetVersion>> =>
  latestFirst(db, 'asset_versions', { page, history, and: sql`true` })

export const findVersion = (db: Queries, history: string, version: number): Promise<AssetVersion | undefined> =>
  db
    .selectFrom('asset_versions')
    .selectAll()
    .where('history', '=', history)
    .where('version', '=', version)
    .executeTakeFirst()

/** The version cannot be swept until the transaction ends. */
export const lockVersion = (trx: Trx, history: string, version: number): Promise<AssetVersion | undefined> =>
  trx
    .selectFrom('asset_versions')
    .selectAll()
    .where('history', '=', history)
    .where('version', '=', version)
    .forUpdate()
    .executeTakeFirst()

/** Makes the asset again as it was, with a version that is still there. */
export async function reviveAsset(
  trx: Trx,
  asset: Pick<Asset, 'name' | 'experience_id' | 'history' | 'created_at'>,
  { version_id, created_at }: AssetVersion,
): Promise<void> {
  await trx
    .insertInto('assets')
    .values({ ...asset, version_id, updated_at: created_at })
    .execute()
  const current = { replaced_at: null, sweep_at: null }
  await trx.updateTable('asset_versions').set(current).where('version_id', '=', version_id).execute()
}

interface ReplacedVersion {
  version_id: string
  blob: string
  /** A task that may be run again or looked at uses the version. */
  needed: boolean
}

/**
 * Locks some of the versions whose time was over before that time. Needed ones are no longer shown as versions, and get a new `sweep_at`,
 * so they are found again only after the same time.
 */
export async function lockReplacedVersions(trx: Trx, before: Date, limit: number): Promise<ReplacedVersion[]> {
  const { rows } = await sql<ReplacedVersion>`
    with replaced as (
      select version_id, blob, (select true from asset_pins p where p.blob = v.blob limit 1) is not null as needed from asset_versions v
      where sweep_at < ${before} order by sweep_at limit ${limit} for update of v skip locked
    ), later as (update asset_versions set sweep_at = now(), history = null where version_id = any(array(select version_id from replaced where needed)))
    select * from replaced`.execute(trx)
  return rows
}

/** Which of these files belong to other versions as well: a restored version has the file of the one it was made from. */
export async function sharedBlobs(trx: Trx, versions: readonly ReplacedVersion[]): Promise<Set<string>> {
  if (versions.length === 0) return new Set()
  const rows = await trx
    .selectFrom('asset_versions')
    .select('blob')
    .where('blob', 'in', [...new Set(versions.map(({ blob }) => blob))])
    .where(
      'version_id',
      'not in',
      versions.map(({ version_id }) => version_id),
    )
    .execute()
  return new Set(rows.map(({ blob }) => blob))
}

/** Replaces the pins of a task by the assets that its chains name now. */
export async function pinAssets(trx: Trx, taskId: string): Promise<void> {
  await trx.deleteFrom('asset_pins').where('task_id', '=', taskId).execute()
  await sql`
    insert into asset_pins (blob, task_id)
    select distinct a.value ->> 'blob', task_id from chains, json_each(assets) a where task_id = ${taskId}`.execute(trx)
}

export async function deleteVersions(trx: Trx, versionIds: readonly string[]): Promise<void> {
  if (versionIds.length > 0) await trx.deleteFrom('asset_versions').where('version_id', 'in', versionIds).execute()
}
