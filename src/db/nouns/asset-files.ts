// Finds the stored files of assets by name, current versions.
import { sql } from 'kysely'
import { own } from '#kit/json.ts'
import { meant, nameForms } from '#kit/text.ts'
import type { Queries } from '../database.ts'
import type { StoredFile } from '../tables.ts'

/** Current versions of the named assets, of an experience or shared; missing names are absent. Null: shared ones alone. */
export async function currentAssets(
  queries: Queries,
  experienceId: string | null,
  names: readonly string[],
): Promise<Record<string, StoredFile>> {
  if (names.length === 0) return {}
  const rows = await queries
    .selectFrom('assets')
    .innerJoin('asset_versions as v', 'v.version_id', 'assets.version_id')
    .select([
      'assets.name',
      'v.blob',
      'v.sha256',
      'v.mime',
      'v.medium',
      'v.ext',
      'v.bytes',
      'v.width',
      'v.height',
      'v.duration',
      'v.frames',
    ])
    .where(sql<boolean>`(assets.experience_id is null or assets.experience_id = ${experienceId})`)
    .where('assets.name', 'in', [...new Set(names.flatMap(nameForms))])
    .execute()
  const found = new Map(rows.map(({ name, ...file }) => [name, file]))
  return Object.fromEntries(
    names.flatMap(name => {
      const file = found.get(meant(found.keys(), name) ?? '')
      return file ? [[name, file]] : []
    }),
  )
}

/** The picture that stands on the pages of an experience's guests; undefined where the asset is gone, or is no picture any more. */
export async function readGuestLogo(
  queries: Queries,
  experienceId: string,
  name: string | null,
): Promise<StoredFile | undefined> {
  const file = name === null ? undefined : own(await currentAssets(queries, experienceId, [name]), name)
  return file?.medium === 'image' ? file : undefined
}
