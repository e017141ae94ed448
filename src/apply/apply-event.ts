// Makes experiences, assets and configurations what an event file says: all of it in one transaction, or nothing.
import { type NewSettings, putExperience } from '#access/experiences.ts'
import { type AssetServices, type NewFile, removeAsset, storeAsset, versionOf } from '#assets/save-asset.ts'
import { applyConfigurations, type ExpectNamed } from '#configurations/apply-all.ts'
import { maskedView } from '#configurations/masked-view.ts'
import { type ConfigurationServices, remove, type Written, write } from '#configurations/save-configuration.ts'
import type { Trx } from '#db/database.ts'
import { type Asset, type AssetFile, findAsset, listAssets } from '#db/nouns/asset-rows.ts'
import { findConfiguration, listConfigurations } from '#db/nouns/configuration-rows.ts'
import type { ExperienceSettings } from '#db/nouns/experience-rows.ts'
import { requireVisible, type Visible } from '#db/visible.ts'
import type { Actor } from '#kit/actor.ts'
import { about, Problem } from '#kit/errors.ts'
import { nameForm } from '#kit/text.ts'

type ApplyServices = ConfigurationServices & AssetServices

interface EventAsset {
  name: string
  experienceId: string | null
  /** Of the file that the asset is to have. */
  sha256: string
  /** Null where the caller believes that it is there already. */
  file: NewFile | null
}

export interface Event {
  experiences: { id: string; settings: NewSettings }[]
  assets: EventAsset[]
  configurations: Written[]
  expect?: ExpectNamed
}

interface Applying {
  dryRun: boolean
  /** Deletes what the experiences of the event have and the event has not. */
  prune: boolean
  actor: Actor
}

const aboutAsset = <T>(name: string, index: number, work: () => Promise<T>): Promise<T> =>
  about(`asset "${name}"`, `event.assets[${index}]`, work)

type Shown = Record<string, unknown>

/** One thing of the event, and what happened to it. `before` and `after` have their credentials masked. */
interface Change {
  kind: 'experience' | 'asset' | 'configuration'
  name: string
  change: 'made' | 'changed' | 'unchanged' | 'deleted'
  before: Shown | null
  after: Shown | null
}

export async function applyEvent(
  services: ApplyServices,
  visible: Visible,
  event: Event,
  { dryRun, prune, actor }: Applying,
): Promise<Change[]> {
  // Looking at files takes a while, so it happens before the transaction.
  const looked = new Map<EventAsset, AssetFile>()
  for (const [index, asset] of event.assets.entries()) {
    const { name, file } = asset
    if (file) looked.set(asset, await aboutAsset(name, index, () => versionOf(services, name, file)))
  }
  return write(services, { dryRun }, async trx => [
    ...(await applyExperiences(services, trx, visible, event, actor)),
    ...(await applyAssets({ ...services, actor }, trx, visible, event, looked)),
    ...(await applyAll(services, trx, visible, event, actor)),
    ...(prune ? await pruned(services, trx, visible, event, actor) : []),
  ])
}

async function applyExperiences(
  { secretBox }: ApplyServices,
  trx: Trx,
  visible: Visible,
  { experiences }: Event,
  actor: Actor,
): Promise<Change[]> {
  const changes: Change[] = []
  for (const [index, { id, settings }] of experiences.entries()) {
    const { before, after } = await about(`experience "${id}"`, `event.experiences[${index}]`, () =>
      putExperience(trx, { secretBox, actor }, visible, id, settings),
    )
    const change = before === null ? 'made' : before.revision === after.revision ? 'unchanged' : 'changed'
    const of = (row: ExperienceSettings): Shown =>
      Object.fromEntries(Object.keys(settings).map(key => [key, row[key as keyof ExperienceSettings] ?? null]))
    changes.push({ kind: 'experience', name: id, change, before: before && of(before), after: of(after) })
  }
  return changes
}

const assetView = ({
  experience_id,
  version,
}: Pick<Asset, 'experience_id'> & { version: Pick<AssetFile, 'sha256' | 'bytes' | 'mime'> }): Shown => ({
  experience_id,
  mime: version.mime,
  bytes: Number(version.bytes),
  sha256: version.sha256,
})

async function applyAssets(
  services: ApplyServices & { actor: Actor },
  trx: Trx,
  visible: Visible,
  { assets }: Event,
  looked: ReadonlyMap<EventAsset, AssetFile>,
): Promise<Change[]> {
  const changes: Change[] = []
  for (const [index, asset] of assets.entries()) {
    const { name, experienceId, sha256, file } = asset
    changes.push(
      await aboutAsset(name, index, async (): Promise<Change> => {
        requireVisible(visible, experienceId)
        const stored = (await findAsset(trx, visible, name)) ?? null
        const before = stored && assetView(stored)
        if (stored?.version.sha256 === sha256 && stored.experience_id === experienceId)
          return { kind: 'asset', name, change: 'unchanged', before, after: before }
        const version = looked.get(asset)
        if (!file || !version)
          throw new Problem('unknown_asset', 'the service does not have this file; send it as a part.')
        const isNew = await storeAsset(services, trx, visible, { name, experienceId, file }, version)
        return {
          kind: 'asset',
          name,
          change: isNew ? 'made' : 'changed',
          before,
          after: assetView({ experience_id: experienceId, version }),
        }
      }),
    )
  }
  return changes
}

async function applyAll(
  services: ApplyServices,
  trx: Trx,
  visible: Visible,
  { configurations, expect }: Event,
  actor: Actor,
): Promise<Change[]> {
  const viewOf = async (name: string): Promise<Shown | null> => {
    const row = await findConfiguration(trx, visible, name)
    return row ? { ...maskedView(services.secretBox, row) } : null
  }
  const before = new Map<string, Shown | null>()
  for (const { configuration_name: name } of configurations) before.set(name, await viewOf(name))
  const changes: Change[] = []
  for (const [name, change] of await applyConfigurations(services, trx, visible, configurations, actor, expect))
    changes.push({ kind: 'configuration', name, change, before: before.get(name) ?? null, after: await viewOf(name) })
  return changes
}

/** More than this in one experience is not pruned, but by hand. */
const MOST = 10_000

async function pruned(
  services: ApplyServices,
  trx: Trx,
  visible: Visible,
  event: Event,
  actor: Actor,
): Promise<Change[]> {
  const experiences = new Set([
    ...event.experiences.map(({ id }) => id),
    // What is shared belongs to no event, so it is never pruned.
    ...event.assets.flatMap(({ experienceId }) => experienceId ?? []),
    ...event.configurations.flatMap(({ experience_id }) => experience_id ?? []),
  ])
  const configurations = new Set(event.configurations.map(({ configuration_name }) => nameForm(configuration_name)))
  const assets = new Set(event.assets.map(({ name }) => nameForm(name)))
  const changes: Change[] = []
  for (const experience_id of experiences) {
    requireVisible(visible, experience_id)
    const rows = await everything(cursor => listConfigurations(trx, visible, { experience_id }, { limit: 500, cursor }))
    // A chain goes before what it names; chains may name chains, so it is gone through until nothing is left.
    let left = rows.filter(({ configuration_name }) => !configurations.has(nameForm(configuration_name)))
    while (left.length > 0) {
      const namedByOthers = new Set(left.flatMap(({ call_chain }) => call_chain?.map(([member]) => member) ?? []))
      const free = left.filter(({ configuration_name }) => !namedByOthers.has(configuration_name))
      const goes = free.length > 0 ? free : left
      for (const row of goes) {
        const name = row.configuration_name
        await about(`configuration "${name}"`, 'prune', () =>
          remove(services, trx, visible, name, { dryRun: false, actor }),
        )
        changes.push({
          kind: 'configuration',
          name,
          change: 'deleted',
          before: { ...maskedView(services.secretBox, row) },
          after: null,
        })
      }
      left = left.filter(row => !goes.includes(row))
    }
    const stored = await everything(cursor => listAssets(trx, visible, { experience_id }, { limit: 500, cursor }))
    for (const asset of stored.filter(({ name }) => !assets.has(nameForm(name)))) {
      await about(`asset "${asset.name}"`, 'prune', () => removeAsset(trx, actor, visible, asset.name))
      changes.push({ kind: 'asset', name: asset.name, change: 'deleted', before: assetView(asset), after: null })
    }
  }
  return changes
}

async function everything<T>(
  read: (cursor: string | undefined) => Promise<{ items: T[]; next_cursor: string | null }>,
): Promise<T[]> {
  const all: T[] = []
  let cursor: string | undefined
  do {
    const page = await read(cursor)
    all.push(...page.items)
    if (all.length > MOST) throw new Problem('over_limit', `An experience of more than ${MOST} things can’t be pruned.`)
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
  return all
}
