// Queries about configurations, the chains they belong to and the assets they name.
import { type Insertable, type Selectable, sql } from 'kysely'
import { meant, nameForms } from '#kit/text.ts'
import type { Queries, Trx } from '../database.ts'
import { newestFirst, type Page, type PageRequest } from '../page.ts'
import type { ConfigurationKind, Tables } from '../tables.ts'
import { mayBeUsed, requireFound, type Visible } from '../visible.ts'

export type ConfigurationRow = Selectable<Tables['configurations']>
export type NewConfiguration = Insertable<Tables['configurations']>

const LOCK = 0x636f6e66 // 'conf'

/** Writers take turns: two edits, each correct alone, could together close a circle of chains. */
export async function lockConfigurations(trx: Trx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCK})`.execute(trx)
}

/** One that the caller may use: of its experiences, or shared. */
export async function findConfiguration(
  db: Queries,
  visible: Visible,
  name: string,
): Promise<ConfigurationRow | undefined> {
  const found = await db
    .selectFrom('configurations')
    .selectAll()
    .where('configuration_name', 'in', nameForms(name))
    .where(mayBeUsed(visible))
    .execute()
  const stored = meant(
    found.map(row => row.configuration_name),
    name,
  )
  return found.find(row => row.configuration_name === stored)
}

/** The names as they are stored, by the names that were asked for; those that are not there are absent. */
export async function storedNames(db: Queries, names: readonly string[]): Promise<Map<string, string>> {
  if (names.length === 0) return new Map()
  const rows = await db
    .selectFrom('configurations')
    .select('configuration_name')
    .where('configuration_name', 'in', names.flatMap(nameForms))
    .execute()
  const known = rows.map(row => row.configuration_name)
  return new Map(
    names.flatMap(name => [meant(known, name)].flatMap(stored => (stored ? [[name, stored] as const] : []))),
  )
}

export const readConfiguration = async (db: Queries, visible: Visible, name: string): Promise<ConfigurationRow> =>
  requireFound(await findConfiguration(db, visible, name), 'configuration', name)

/** Those of these names that there are. */
export const readConfigurationsOf = async (db: Queries, names: readonly string[]): Promise<ConfigurationRow[]> =>
  names.length === 0
    ? []
    : db.selectFrom('configurations').selectAll().where('configuration_name', 'in', names).execute()

interface ConfigurationFilters {
  /** Null: those that are shared. */
  experience_id?: string | null | undefined
  adapter_name?: string | undefined
  kind?: ConfigurationKind | undefined
}

export const listConfigurations = (
  db: Queries,
  visible: Visible,
  where: ConfigurationFilters,
  page: PageRequest,
): Promise<Page<ConfigurationRow>> => newestFirst(db, 'configurations', { page, visible, where, shared: true })

export const insertConfiguration = (trx: Trx, row: NewConfiguration): Promise<ConfigurationRow> =>
  trx.insertInto('configurations').values(row).returningAll().executeTakeFirstOrThrow()

export const updateConfiguration = (
  trx: Trx,
  { configuration_name, created_at: _kept, ...row }: NewConfiguration,
): Promise<ConfigurationRow> =>
  trx
    .updateTable('configurations')
    .set(row)
    .where('configuration_name', '=', configuration_name)
    .returningAll()
    .executeTakeFirstOrThrow()

export async function deleteConfiguration(trx: Trx, name: string): Promise<void> {
  await trx.deleteFrom('configurations').where('configuration_name', '=', name).execute()
}

export async function setMembers(trx: Trx, chain: string, members: readonly string[]): Promise<void> {
  await trx.deleteFrom('chain_members').where('chain', '=', chain).execute()
  if (members.length > 0)
    await trx
      .insertInto('chain_members')
      .values([...new Set(members)].map(member => ({ chain, member })))
      .execute()
}

export async function setAssetUses(trx: Trx, name: string, assets: readonly string[]): Promise<void> {
  await trx.deleteFrom('asset_uses').where('configuration_name', '=', name).execute()
  if (assets.length > 0)
    await trx
      .insertInto('asset_uses')
      .values([...new Set(assets)].map(asset => ({ configuration_name: name, asset })))
      .execute()
}

/**
 * Configurations that are in no chain, and an experience to try each with: its own, for a shared one the newest. Returns none if the tables
 * do not exist yet.
 */
export async function outermostConfigurations(
  db: Queries,
): Promise<{ configuration: string; experienceId: string | null }[]> {
  const made = await sql<{ made: boolean }>`select to_regclass('configurations') is not null as made`.execute(db)
  if (!made.rows[0]?.made) return []
  const { rows } = await sql<{ configuration: string; experienceId: string | null }>`
    select configuration_name as configuration,
      coalesce(experience_id, (select experience_id from experiences order by created_at desc limit 1)) as "experienceId"
    from configurations
    where not exists (select from chain_members where member = configuration_name and chain <> configuration_name)
    order by configuration_name`.execute(db)
  return rows
}

/** The chains that name it directly. */
export async function chainsWith(db: Queries, name: string): Promise<string[]> {
  const rows = await db
    .selectFrom('chain_members')
    .select('chain')
    .where('member', '=', name)
    .where('chain', '!=', name)
    .orderBy('chain')
    .execute()
  return rows.map(({ chain }) => chain)
}

/** The chains that name it, and those that name these, at any depth. */
export async function chainsAbove(db: Queries, name: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    with recursive above (name) as (
      select chain from chain_members where member = ${name}
      union
      select chain from above join chain_members on member = name
    )
    select name from above where name <> ${name} order by name`.execute(db)
  return rows.map(row => row.name)
}

/** Of an experience and shared ones; null: shared ones alone. */
const usableBy = (experienceId: string | null) =>
  sql<boolean>`(experience_id is null or experience_id = ${experienceId})`

/** The names as they are stored, by the names that were asked for. */
export async function assetNames(
  db: Queries,
  experienceId: string | null,
  names: readonly string[],
): Promise<Map<string, string>> {
  if (names.length === 0) return new Map()
  const rows = await db
    .selectFrom('assets')
    .select('name')
    .where(usableBy(experienceId))
    .where('name', 'in', names.flatMap(nameForms))
    .execute()
  const known = rows.map(({ name }) => name)
  return new Map(
    names.flatMap(name => [meant(known, name)].flatMap(stored => (stored ? [[name, stored] as const] : []))),
  )
}

/** A few names for the error message after a mistyped one. */
export async function someAssetNames(db: Queries, experienceId: string | null, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('assets')
    .select('name')
    .where(usableBy(experienceId))
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ name }) => name)
}
