// Checks a chain against the extras it is to run with, and pins the assets it will use.
import {
  extrasErrors,
  hasOption,
  isParameter,
  mergeOptions,
  type SortedExtras,
  sortExtras,
} from '#configurations/options.ts'
import { unfold } from '#configurations/unfold.ts'
import { currentAssets } from '#db/asset-files.ts'
import type { ConfigurationRow } from '#db/snapshots.ts'
import type { Snapshot, SnapshotEntry, StoredFile } from '#db/tables.ts'
import { type Adapter, assetUses } from '#engine/adapter.ts'
import { type FieldError, Problem } from '#kit/errors.ts'
import type { JsonObject } from '#kit/json.ts'
import type { TaskServices } from './services.ts'

export interface ChainToAccept {
  snapshot: Snapshot
  experienceId: string
  extras: JsonObject
  /** What the extras are called in the request, and what named the configuration: for errors. */
  extrasField: string
  field: string
  /** Configurations before it in the group; null outside a group. */
  earlier: readonly string[] | null
}

export interface AcceptedChain {
  snapshot: Snapshot
  assets: Record<string, StoredFile>
  warnings: string[]
}

export async function accept({ adapters, db }: TaskServices, chain: ChainToAccept): Promise<AcceptedChain> {
  const { snapshot, extras, extrasField, earlier } = chain
  const { sorted, errors } = sortExtras(extras, extrasField)
  const used = snapshot.entries.map(entry => ({ adapter: adapterOf(adapters, entry), defaults: entry.defaults }))
  for (const { adapter, defaults } of used) errors.push(...extrasErrors(adapter, defaults, sorted, extrasField))
  errors.push(...overrideErrors(sorted, earlier, extrasField))
  const distinct = [...new Map(errors.map(error => [`${error.field} ${error.message}`, error])).values()]
  const [first] = distinct
  if (first) throw new Problem('bad_extras', `${first.field} ${first.message}.`, { errors: distinct })
  const assets = await pinAssets(db, used, sorted, chain)
  return { snapshot, assets, warnings: unknownKeys(sorted, used, extrasField) }
}

/** A configuration with all that its chain names, as it is now. */
export function takeSnapshot(
  root: ConfigurationRow,
  find: (name: string) => ConfigurationRow | undefined,
  maxChain: number,
): Snapshot {
  const entries = unfold(root, find, maxChain).map(
    ({ configuration, input_idx }): SnapshotEntry => ({
      configuration: configuration.configuration_name,
      adapter_name: configuration.adapter_name as string,
      input_idx,
      defaults: configuration.defaults ?? {},
      auth: configuration.auth?.toString('base64') ?? null,
      activity_config: configuration.activity_config,
    }),
  )
  return { entries }
}

interface Used {
  adapter: Adapter
  defaults: JsonObject
}

function adapterOf(adapters: TaskServices['adapters'], { adapter_name, configuration }: SnapshotEntry): Adapter {
  const adapter = adapters.get(adapter_name)
  if (adapter) return adapter
  throw new Problem(
    'unknown_adapter',
    `The configuration "${configuration}" uses the adapter "${adapter_name}", which is not installed here.`,
  )
}

function overrideErrors({ overrides }: SortedExtras, earlier: readonly string[] | null, path: string): FieldError[] {
  return [...overrides].flatMap(([parameter, names]): FieldError[] => {
    const field = `${path}.${parameter}_override`
    if (earlier === null) return [{ field, message: 'works only inside a task group' }]
    return names
      .filter(name => !earlier.includes(name))
      .map(name => ({
        field,
        message: `names "${name}", which is not an earlier configuration of the group (earlier are: ${earlier.join(', ') || 'none'})`,
      }))
  })
}

/** The asset versions of now: what is replaced later changes nothing under way. */
async function pinAssets(
  db: TaskServices['db'],
  used: readonly Used[],
  extras: SortedExtras,
  { experienceId, field, extrasField }: ChainToAccept,
): Promise<Record<string, StoredFile>> {
  const uses = used.flatMap(({ adapter, defaults }) => assetUses(adapter, mergeOptions(adapter, defaults, extras)))
  // A name with placeholders is known only when the entry runs.
  const fixed = uses.filter(({ parameter, name }) => !extras.overrides.has(parameter) && !name.includes('{{'))
  const assets = await currentAssets(
    db,
    experienceId,
    fixed.map(use => use.name),
  )
  const missing = fixed.find(({ name }) => !Object.hasOwn(assets, name))
  if (!missing) return assets
  const message = `There is no asset "${missing.name}" in the experience "${experienceId}" (option ${missing.parameter}).`
  throw new Problem('unknown_asset', message, {
    errors: [
      {
        field: Object.hasOwn(extras.options, missing.parameter) ? `${extrasField}.${missing.parameter}` : field,
        message,
      },
    ],
  })
}

function unknownKeys({ options, overrides }: SortedExtras, used: readonly Used[], path: string): string[] {
  const nobodys = Object.keys(options).filter(key => !used.some(({ adapter }) => hasOption(adapter, key)))
  const hasLayers = used.some(({ adapter }) => adapter.assetsIn !== undefined)
  const idle = [...overrides.keys()]
    .filter(key => !hasLayers && !used.some(({ adapter }) => isParameter(adapter, key)))
    .map(key => `${key}_override`)
  return [...nobodys, ...idle].map(
    key => `${path}.${key} is not an option of any adapter of this task; it was kept and changes nothing.`,
  )
}
