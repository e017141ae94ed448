// Queries about the versions of configurations.
import { type Selectable, sql } from 'kysely'
import type { Actor } from '#kit/actor.ts'
import { json, type Queries, type Trx } from '../database.ts'
import { latestFirst, type Page, type PageRequest } from '../page.ts'
import type { ChangedBy, Tables, VersionChange } from '../tables.ts'
import { isSeen, type Visible } from '../visible.ts'
import type { ConfigurationRow } from './configuration-rows.ts'

export type ConfigurationVersion = Selectable<Tables['configuration_versions']>

export interface Changed {
  change: VersionChange
  restoredFrom?: number
  actor: Actor
}

export const changedBy = ({ address: _address, ...who }: Actor): ChangedBy => who

/** Keeps the configuration as it is now as a version. `most`: how many older ones stay. */
export async function insertConfigurationVersion(
  trx: Trx,
  row: ConfigurationRow,
  { change, restoredFrom, actor }: Changed,
  most: number,
): Promise<void> {
  const { history, version } = row
  await trx
    .updateTable('configuration_versions')
    .set({ replaced_at: sql<Date>`now()` })
    .where('history', '=', history)
    .where('version', '=', version - 1)
    .execute()
  await trx
    .insertInto('configuration_versions')
    .values({
      history,
      version,
      configuration_name: row.configuration_name,
      experience_id: row.experience_id,
      kind: row.kind,
      adapter_name: row.adapter_name,
      defaults: row.defaults && json(row.defaults),
      auth: row.auth,
      activity_config: row.activity_config && json(row.activity_config),
      call_chain: row.call_chain && json(row.call_chain),
      webhook_url: row.webhook_url,
      overridable: row.overridable,
      needs_consent: row.needs_consent,
      without_consent: row.without_consent,
      change,
      restored_from: restoredFrom ?? null,
      changed_by: json(changedBy(actor)),
      created_at: row.updated_at,
    })
    .execute()
  await trx
    .deleteFrom('configuration_versions')
    .where('history', '=', history)
    .where('version', '<', version - most)
    .execute()
}

/** A version that belonged to an experience which the caller does not see is as good as none. */
export const listConfigurationVersions = (
  db: Queries,
  visible: Visible,
  history: string,
  page: PageRequest,
): Promise<Page<ConfigurationVersion>> =>
  latestFirst(db, 'configuration_versions', { page, history, and: isSeen(visible, 't.experience_id') })

export const findConfigurationVersion = (
  trx: Trx,
  visible: Visible,
  history: string,
  version: number,
): Promise<ConfigurationVersion | undefined> =>
  trx
    .selectFrom('configuration_versions')
    .selectAll()
    .where('history', '=', history)
    .where('version', '=', version)
    .where(isSeen(visible))
    .executeTakeFirst()

/** Deletes some that were replaced so many days ago. Returns how many. */
export async function forgetOldVersions(db: Queries, days: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from configuration_versions where ctid = any(array(
      select ctid from configuration_versions
      where replaced_at < now() - ${days} * interval '1 day' order by replaced_at limit ${limit}))`.execute(db)
  return Number(numAffectedRows ?? 0)
}
