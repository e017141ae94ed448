// Creates, replaces and deletes assets. Each file is a version of its own, so tasks keep the one they were accepted with.

import { type Db, type Trx, violatedConstraint } from '#db/database.ts'
import * as rows from '#db/nouns/asset-rows.ts'
import { insertDeletion, KEEP_DAYS } from '#db/nouns/deletion-rows.ts'
import { ensureExperience } from '#db/nouns/experience-rows.ts'
import { forgetUploads } from '#db/tasks/upload-rows.ts'
import { transact } from '#db/transact.ts'
import { requireVisible, requireWhole, type Visible } from '#db/visible.ts'
import type { Actor } from '#kit/actor.ts'
import { badField, Problem } from '#kit/errors.ts'
import { anything, type Expect } from '#kit/expect.ts'
import type { FileFacts } from '#kit/file-facts.ts'
import { newId } from '#kit/ids.ts'
import type { SecretBox } from '#kit/secret/secrets.ts'
import { nameForm } from '#kit/text.ts'
import type { Blobs } from '#storage/blobs.ts'
import { newWorkFolder } from '#storage/work-folders.ts'
import { recordAsset } from './record-asset.ts'

export interface AssetServices {
  db: Db
  blobs: Blobs
  secretBox: SecretBox
  /** Holds files of an S3 store while they are probed. */
  dataFolder: string
  keep: rows.Keep
  actor: Actor
  /** Reads the facts of a local file, or refuses it. */
  probe(path: string): Promise<FileFacts>
}

/** A file that was received and has no owner yet. */
export interface NewFile {
  blob: string
  sha256: string
}

interface NewAsset {
  name: string
  /** Null: shared by all experiences. */
  experienceId: string | null
  file: NewFile
}

const taken = (name: string): Problem => new Problem('name_taken', `The name "${name}" is taken by another asset.`)

export async function createAsset(services: AssetServices, visible: Visible, given: NewAsset): Promise<rows.Asset> {
  const asset = { ...given, name: nameForm(given.name) }
  const { name, experienceId, file } = asset
  requireVisible(visible, experienceId)
  if (await rows.findAsset(services.db, null, name)) throw taken(name)
  const version = await versionOf(services, name, file)
  await transact(services.db, trx => insert(services, trx, asset, version)).catch(error => {
    throw isTaken(error) ? taken(name) : error
  })
  return rows.readAsset(services.db, visible, name)
}

const isTaken = (error: unknown): boolean => violatedConstraint(error) === 'assets_pkey'

async function insert(
  { secretBox, actor }: AssetServices,
  trx: Trx,
  { name, experienceId, file }: NewAsset,
  version: rows.AssetFile,
): Promise<void> {
  if (experienceId !== null) await ensureExperience(trx, secretBox, experienceId)
  await rows.insertAsset(trx, { name, experience_id: experienceId }, { version, change: 'made', actor })
  const made = { name, experience_id: experienceId, before: null, after: version }
  await recordAsset(trx, actor, { action: 'create', ...made })
  await forgetUploads(trx, [file.blob])
}

/** Checks the expectation before the file is received, which may take a while; `putAsset` checks it again. */
export async function beforePut(
  db: Db,
  visible: Visible,
  name: string,
  expect: Expect<rows.Asset> = anything,
): Promise<void> {
  const stored = (await rows.findAsset(db, visible, name)) ?? null
  if (stored) requireWhole(visible, stored.experience_id, 'asset', name)
  expect(stored)
}

interface PutAsset extends Omit<NewAsset, 'experienceId'> {
  /** Needed to make the asset. Undefined: not given. */
  experienceId: string | null | undefined
}

/** Replaces the file of an asset, or makes the asset if there is none, which needs an `experienceId`. */
export async function putAsset(
  services: AssetServices,
  visible: Visible,
  asset: PutAsset,
  expect: Expect<rows.Asset> = anything,
): Promise<{ asset: rows.Asset; isNew: boolean }> {
  const { name, file } = asset
  const version = await versionOf(services, name, file)
  const write = (trx: Trx): Promise<boolean> => storeAsset(services, trx, visible, asset, version, expect)
  const isNew = await transact(services.db, write)
    // Somebody else made it at the same moment, so it is replaced now.
    .catch(error => (isTaken(error) ? transact(services.db, write) : Promise.reject(error)))
    .catch(error => Promise.reject(isTaken(error) ? taken(name) : error))
  return { asset: await rows.readAsset(services.db, visible, name), isNew }
}

/** Returns whether the asset is a new one. `version` is what `versionOf` read of the file. */
export async function storeAsset(
  services: AssetServices,
  trx: Trx,
  visible: Visible,
  asset: PutAsset,
  seen: rows.AssetFile,
  expect: Expect<rows.Asset> = anything,
): Promise<boolean> {
  const { actor, keep } = services
  const { experienceId, file } = asset
  const stored = await rows.lockAssetIfAny(trx, visible, asset.name)
  const name = stored?.name ?? nameForm(asset.name)
  const version = { ...seen, name }
  if (stored) requireWhole(visible, stored.experience_id, 'asset', name)
  expect(stored)
  if (stored) {
    if (experienceId !== undefined && experienceId !== stored.experience_id)
      throw badField(
        'experience_id',
        `can’t be changed; leave it out or write ${stored.experience_id === null ? 'null' : `"${stored.experience_id}"`}`,
      )
    await checkMedium(trx, stored, version)
    await rows.replaceVersion(trx, stored, { version, change: 'changed', actor }, keep)
    const { experience_id, version: before } = stored
    await recordAsset(trx, actor, { action: 'update', name, experience_id, before, after: version })
    await forgetUploads(trx, [file.blob])
    return false
  }
  if (experienceId === undefined)
    throw new Problem('not_found', `There is no asset "${name}". To make it, send the part experience_id as well.`)
  requireVisible(visible, experienceId)
  await insert(services, trx, { name, experienceId, file }, version)
  return true
}

export async function deleteAsset(
  { db, actor }: Pick<AssetServices, 'db' | 'actor'>,
  visible: Visible,
  name: string,
  expect: Expect<rows.Asset> = anything,
): Promise<void> {
  await transact(db, trx => removeAsset(trx, actor, visible, name, expect)).catch(async error => {
    // A configuration began to use the asset between the check and the delete.
    throw violatedConstraint(error) === 'asset_uses_asset_fkey' ? inUse(name, await rows.assetUsers(db, name)) : error
  })
}

export async function removeAsset(
  trx: Trx,
  actor: Actor,
  visible: Visible,
  wanted: string,
  expect: Expect<rows.Asset> = anything,
): Promise<void> {
  const asset = await rows.lockAsset(trx, visible, wanted)
  const { name } = asset
  requireWhole(visible, asset.experience_id, 'asset', name)
  expect(asset)
  const users = await rows.assetUsers(trx, name)
  if (users.length > 0) throw inUse(name, users)
  await rows.deleteAsset(trx, asset, KEEP_DAYS)
  const { history, experience_id, created_at } = asset
  const version = asset.version.version ?? 1
  await insertDeletion(trx, { history, version, noun: 'asset', name, experience_id, made_at: created_at })
  await recordAsset(trx, actor, { action: 'delete', name, experience_id, before: asset.version, after: null })
}

/** Refuses another kind of file for an asset in use: nothing would report it before the event. */
export async function checkMedium(db: Trx, asset: rows.Asset, next: { medium: string }): Promise<void> {
  const { name, version } = asset
  if (version.medium === next.medium) return
  const users = await rows.assetUsers(db, name)
  if (users.length === 0) return
  throw new Problem(
    'in_use',
    `"${name}" is of the kind "${version.medium}" and named by ${listed(users)}; a file of the kind "${next.medium}" can’t take its place.`,
  )
}

const inUse = (name: string, users: readonly string[]): Problem =>
  new Problem('in_use', `The asset "${name}" is named by ${listed(users)}. Change these configurations first.`)

const SHOWN = 20

function listed(names: readonly string[]): string {
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : ''
  return `${names
    .slice(0, SHOWN)
    .map(name => `"${name}"`)
    .join(', ')}${more}`
}

/** Looks at a file before it is stored; it may take a while. */
export async function versionOf(
  services: AssetServices,
  name: string,
  { blob, sha256 }: NewFile,
): Promise<rows.AssetFile> {
  await using folder = await newWorkFolder(services.dataFolder)
  const facts = await services.probe(await services.blobs.local(blob, folder.path))
  const { mime, medium, ext, bytes, width, height, duration, frames } = facts
  const known = { mime, medium, ext, bytes, width, height, duration, frames }
  return { version_id: newId(), name, blob, sha256, ...known, created_at: new Date(), replaced_at: null }
}
