// Brings assets back: an earlier version of the file, or an asset that was deleted.
import { type Db, violatedConstraint } from '#db/database.ts'
import * as rows from '#db/nouns/asset-rows.ts'
import { findDeletion, takeDeletion } from '#db/nouns/deletion-rows.ts'
import type { Page, PageRequest } from '#db/page.ts'
import { transact } from '#db/transact.ts'
import { isUsable, requireWhole, type Visible } from '#db/visible.ts'
import type { Actor } from '#kit/actor.ts'
import { Problem } from '#kit/errors.ts'
import type { Expect } from '#kit/expect.ts'
import { newId } from '#kit/ids.ts'
import { recordAsset } from './record-asset.ts'
import { checkMedium } from './save-asset.ts'

/** Also of an asset that was deleted and can still be undeleted; then no version is the current one. */
export async function listVersions(
  db: Db,
  visible: Visible,
  name: string,
  page: PageRequest,
): Promise<Page<rows.AssetVersion> & { current: number | null }> {
  const { history, current } = await historyOf(db, visible, name)
  return { ...(await rows.listAssetVersions(db, history, page)), current }
}

async function historyOf(db: Db, visible: Visible, name: string): Promise<{ history: string; current: number | null }> {
  const asset = await rows.findAsset(db, visible, name)
  if (asset) requireWhole(visible, asset.experience_id, 'asset', name)
  const history = asset?.history ?? (await findDeletion(db, visible, 'asset', name))?.history
  if (history === undefined) throw new Problem('not_found', `There is no asset "${name}".`)
  return { history, current: asset?.version.version ?? null }
}

/** One version with its file, of the same assets. */
export async function readVersion(db: Db, visible: Visible, name: string, version: number): Promise<rows.AssetVersion> {
  const { history } = await historyOf(db, visible, name)
  const found = await rows.findVersion(db, history, version)
  if (!found) throw noVersion(name, version)
  return found
}

const noVersion = (name: string, version: number): Problem =>
  new Problem('not_found', `There is no version ${version} of the asset "${name}".`)

interface Restoring {
  db: Db
  keep: rows.Keep
  actor: Actor
  expect: Expect<rows.Asset>
}

/** The restored version has the same stored file as the one it is made from. */
export async function restoreAsset(
  { db, keep, actor, expect }: Restoring,
  visible: Visible,
  name: string,
  version: number,
): Promise<rows.Asset> {
  return transact(db, async trx => {
    const asset = await rows.lockAsset(trx, visible, name)
    requireWhole(visible, asset.experience_id, 'asset', name)
    expect(asset)
    const earlier = await rows.lockVersion(trx, asset.history, version)
    if (!earlier) throw noVersion(name, version)
    if (earlier.sha256 === asset.version.sha256) return asset
    await checkMedium(trx, asset, earlier)
    const { blob, sha256, mime, medium, ext, bytes, width, height, duration, frames } = earlier
    const file = { name: asset.name, blob, sha256, mime, medium, ext, bytes, width, height, duration, frames }
    const copy = { version_id: newId(), ...file, created_at: new Date(), replaced_at: null }
    await rows.replaceVersion(trx, asset, { version: copy, change: 'restored', restoredFrom: version, actor }, keep)
    const { experience_id, version: before } = asset
    await recordAsset(trx, actor, { action: 'restore', name: asset.name, experience_id, before, after: copy })
    return rows.readAsset(trx, visible, name)
  })
}

export async function undeleteAsset(
  { db, actor }: Pick<Restoring, 'db' | 'actor'>,
  visible: Visible,
  name: string,
): Promise<rows.Asset> {
  const taken = new Problem('name_taken', `The name "${name}" is in use: there is an asset that is not deleted.`)
  return transact(db, async trx => {
    // In this order: whoever undeletes it meanwhile is seen by one of the two.
    const deletion = await findDeletion(trx, visible, 'asset', name)
    const there = await rows.findAsset(trx, null, name)
    if (there && (deletion || isUsable(visible, there.experience_id))) throw taken
    const last = deletion && (await rows.lockVersion(trx, deletion.history, deletion.version))
    if (!deletion || !last)
      throw new Problem('not_found', `There is no deleted asset "${name}"; one can be undeleted for 30 days.`)
    // Somebody else undeleted it meanwhile.
    if (!(await takeDeletion(trx, deletion.history))) throw taken
    const { history, experience_id, made_at } = deletion
    await rows.reviveAsset(trx, { name: deletion.name, experience_id, history, created_at: made_at }, last)
    await recordAsset(trx, actor, { action: 'undelete', name: deletion.name, experience_id, before: null, after: last })
    return rows.readAsset(trx, visible, name)
  }).catch(error => {
    // Somebody else made one of that name at the same moment.
    throw violatedConstraint(error) === 'assets_pkey' ? taken : error
  })
}
