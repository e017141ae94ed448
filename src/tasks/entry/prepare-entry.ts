// Prepares what one entry needs before it runs: options, context, local asset files.
import { extrasFor, mayOverride } from '#configurations/options.ts'
import { readTemplate, templateName } from '#configurations/read-template.ts'
import { currentAssets } from '#db/nouns/asset-files.ts'
import { retryWhileAway } from '#db/retry-while-away.ts'
import type { SnapshotEntry, StoredFile } from '#db/tables.ts'
import { type Adapter, assetUses, overridable } from '#engine/adapter.ts'
import type { MediaFile } from '#engine/files.ts'
import { ownedBy } from '#engine/files.ts'
import { Problem } from '#kit/errors.ts'
import { type JsonObject, own } from '#kit/json.ts'
import { schemaErrors } from '#kit/schema.ts'
import { givenFiles, labelled, partFor } from './given-files.ts'
import { Interruption, lacksAdapter } from './interruption.ts'
import { type Chain, chainOutput, type Entry, entryOf, type Loaded, overallIndex } from './loaded.ts'
import { localFile } from './local-files.ts'
import { assetFiles, type LabelledFile, resolveOptions } from './resolve.ts'

export interface PreparedEntry {
  index: number
  adapter: Adapter
  config: SnapshotEntry
  options: JsonObject
  context: JsonObject
  assets: Record<string, MediaFile[]>
  warnings: string[]
  /** What the place of a delivery takes from its guests; null where it takes nothing. */
  placeValues: JsonObject | null
}

export async function prepareEntry(run: Loaded, chain: Chain, index: number, input: MediaFile): Promise<PreparedEntry> {
  try {
    return await prepare(run, chain, entryOf(chain, index), input)
  } catch (error) {
    // An interruption says nothing of the entry.
    throw error instanceof Problem && !(error instanceof Interruption) ? ownedBy(error, index) : error
  }
}

async function prepare(run: Loaded, chain: Chain, entry: Entry, input: MediaFile): Promise<PreparedEntry> {
  const { adapter, config } = entry
  if (!adapter || !config) throw lacksAdapter(entry)
  const sorted = extrasFor(chain.sorted, config, adapter)
  const values = placeholderValues(run, chain, entry, input.ext)
  const overrides = new Map<string, LabelledFile[]>()
  for (const [parameter, names] of sorted.overrides)
    overrides.set(
      parameter,
      names.map(name => overrideFile(run, name, parameter)),
    )
  for (const [parameter, files] of givenFiles(chain.files, sorted))
    if (mayOverride(config, parameter)) overrides.set(parameter, labelled(files, partFor(parameter, run.task.is_group)))
  const resolve = (template?: JsonObject) =>
    resolveOptions(adapter, config, sorted, values, { template, fixed: entry.place_values })
  const template = adapter.template && (await templateOf(run, chain, adapter, resolve().options, overrides))
  const { options, context, warnings, placeValues } = resolve(template)
  const places = new Set(overridable(adapter, options))
  const mine = new Map([...overrides].filter(([parameter]) => places.has(parameter)))
  const filled = { ...options, ...standIns(adapter, mine) }
  const [wrong] = schemaErrors(adapter.options, filled)
  if (wrong) throw new Problem('bad_options', `${wrong.field} ${wrong.message}.`, { errors: [wrong] })
  const pinned = { ...(await assetsByPlaceholder(run, chain, adapter, options)), ...chain.assets }
  const stored = assetFiles(adapter, options, mine, pinned)
  const assets: [parameter: string, files: MediaFile[]][] = []
  for (const [parameter, files] of Object.entries(stored))
    assets.push([parameter, await Promise.all(files.map(file => localFile(run, file)))])
  return {
    index: entry.index,
    adapter,
    config,
    options: filled,
    context,
    assets: Object.fromEntries(assets),
    warnings,
    placeValues,
  }
}

/** An overridden asset parameter counts as set. */
function standIns(adapter: Adapter, overrides: ReadonlyMap<string, LabelledFile[]>): JsonObject {
  const parameters = (adapter.assets ?? []).filter(parameter => overrides.has(parameter.name))
  return Object.fromEntries(
    parameters.map(({ name, list }) => [name, list ? (overrides.get(name) ?? []).map(() => 'override') : 'override']),
  )
}

/** The template as pinned when the task was accepted. A name with placeholders gets the current version. */
async function templateOf(
  run: Loaded,
  chain: Chain,
  adapter: Adapter,
  options: JsonObject,
  overrides: ReadonlyMap<string, LabelledFile[]>,
): Promise<JsonObject | undefined> {
  const { db, blobs } = run.services
  const [output] = overrides.get(adapter.template?.parameter ?? '') ?? []
  if (output) return readTemplate(blobs, adapter, output.label, output, run.signal)
  const name = templateName(adapter, options)
  if (name === null) return undefined
  const found = Object.hasOwn(chain.assets, name)
    ? chain.assets
    : await retryWhileAway(() => currentAssets(db, run.task.experience_id, [name]))
  const file = own(found, name)
  // A missing asset is reported together with the other assets.
  return file && readTemplate(blobs, adapter, `The asset "${name}"`, file, run.signal)
}

function overrideFile(run: Loaded, configuration: string, parameter: string): LabelledFile {
  const file = chainOutput(run.task, configuration)
  if (!file)
    throw new Problem(
      'asset_missing',
      `The output of "${configuration}", which ${parameter}_override names, is not there.`,
    )
  return { ...file, label: `The output of "${configuration}"` }
}

/** Assets whose names have placeholders could not be pinned when the task was accepted. */
async function assetsByPlaceholder(
  run: Loaded,
  chain: Chain,
  adapter: Adapter,
  options: JsonObject,
): Promise<Record<string, StoredFile>> {
  const unknown = assetUses(adapter, options)
    .map(use => use.name)
    .filter(name => !Object.hasOwn(chain.assets, name))
  return unknown.length === 0
    ? {}
    : retryWhileAway(() => currentAssets(run.services.db, run.task.experience_id, unknown))
}

/** The values that placeholders may use. */
export function placeholderValues(
  { task, guests }: Pick<Loaded, 'task' | 'guests'>,
  chain: Chain,
  entry: Entry,
  ext: string,
): JsonObject {
  const guest = guests.profiles.get(chain.chain_id)
  const profile: JsonObject = guest
    ? {
        ...guest.attributes,
        attributes: guest.attributes,
        profile_id: guest.profile_id,
        email: guest.email[0] ?? null,
        qr_code: guest.qr_code[0] ?? null,
        rfid: guest.rfid[0] ?? null,
      }
    : {}
  return {
    task_id: task.task_id,
    chain_id: chain.chain_id,
    configuration: entry.configuration,
    experience_id: task.experience_id,
    guest_count: chain.sorted.lookups.length,
    index: overallIndex(task, chain, entry.index),
    ext,
    // The time the task was accepted, so that names made from it are the same at every attempt.
    now: task.created_at.toISOString(),
    profile,
    ...(guests.url !== null && { guest_url: guests.url }),
  }
}
