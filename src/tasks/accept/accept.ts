// Checks a chain against the extras it will run with, and pins the assets it will use.

import {
  EACH,
  eachOf,
  extrasErrors,
  extrasFor,
  hasOption,
  isRefusedInside,
  mayOverride,
  type SortedExtras,
  sortExtras,
} from '#configurations/options.ts'
import { targetErrors } from '#configurations/target.ts'
import { unfold } from '#configurations/unfold.ts'
import { currentAssets } from '#db/nouns/asset-files.ts'
import type { ChainFiles, Snapshot, SnapshotEntry, StoredFile } from '#db/tables.ts'
import type { ConfigurationRow } from '#db/tasks/snapshots.ts'
import { type Adapter, assetUses, overridable, type Remark } from '#engine/adapter.ts'
import { type MediaLimits, remarksOf } from '#engine/children/sizes.ts'
import { type FieldError, Problem } from '#kit/errors.ts'
import { purposes } from '#kit/guest/consent.ts'
import type { JsonObject } from '#kit/json.ts'
import { meant, someOf } from '#kit/text.ts'
import { givenFiles } from '../entry/given-files.ts'
import { entryAuth } from '../entry/resolve.ts'
import type { TaskServices } from '../task-services.ts'
import { closedText, type EntryError, inEntry, refuse } from './entry-errors.ts'
import { type DeclinedFiles, declinedFiles, refuseOtherKinds, takenFiles } from './file-errors.ts'
import { type EntryToCheck, type EntryWithOptions, mergeTemplates, unknownAsset } from './options-with-templates.ts'

export interface ChainToAccept {
  snapshot: Snapshot
  experienceId: string
  extras: JsonObject
  /** For errors: the request's fields for the extras and for the configuration's name. */
  extrasField: string
  field: string
  /** Files in place of assets, by parameter. */
  files?: ChainFiles
  /** Those of them that came with this request; the others are there since an earlier run. */
  sent?: ReadonlySet<string>
  /** Whether they may be of any kind. */
  anyFile?: boolean
  /** The configurations before it in the group; null outside a group. */
  earlier: readonly string[] | null
  /** The entries that run: all of them unless it is a retry. An entry that has run needs no assets. */
  running?: ReadonlySet<number>
  /** The entries that are of use: all of them unless it is a preview. Of the others only what extras may never change is checked. */
  only?: ReadonlySet<number>
}

export interface AcceptedChain {
  snapshot: Snapshot
  assets: Record<string, StoredFile>
  /** Those that the chain has a use for. */
  files: ChainFiles
  /** The parameters of this request's files that it takes, of all that it has. */
  takes: ReadonlySet<string>
  parameters: readonly string[]
  /** The parameters that it has and takes no files for. */
  declined: DeclinedFiles
  warnings: string[]
}

export async function accept(services: TaskServices, chain: ChainToAccept): Promise<AcceptedChain> {
  const { adapters, db } = services
  const { snapshot, extras, extrasField, earlier, running, only } = chain
  const { sorted, errors } = sortExtras(extras, extrasField)
  const { files = {}, sent = new Set<string>(), anyFile = false } = chain
  const given = givenFiles(files, sorted)
  const all = snapshot.entries.map((entry, index) => {
    const adapter = adapterOf(adapters, entry)
    return {
      index,
      runs: running?.has(index) ?? true,
      isUsed: only?.has(index) ?? true,
      configuration: entry.configuration,
      ...(entry.overridable && { overridable: entry.overridable }),
      adapter,
      defaults: entry.defaults,
      auth: () => entryAuth(services.secretBox, entry),
      extras: extrasFor(sorted, entry, adapter),
      named: inEntry(chain, index, sorted),
    }
  })
  errors.push(...eachErrors(all, sorted, extrasField), ...closedErrors(all, sorted, extrasField))
  for (const { adapter, isUsed, named, extras: own, ...config } of all) {
    const found = isUsed
      ? extrasErrors(adapter, config, own, extrasField, openOf(config, given.keys()))
      : targetErrors(adapter, config, own.options, extrasField)
    errors.push(...found.map(named))
  }
  errors.push(...overrideErrors(sorted, earlier, extrasField))
  refuse(errors)
  const used = all.filter(({ isUsed }) => isUsed)
  const isGroup = earlier !== null
  refuseOtherKinds(used, { sent, anyFile, isGroup })
  const { whole, templates } = await mergeTemplates(services, used, given, chain)
  const filled = new Set([...sorted.overrides.keys(), ...given.keys()])
  const remarks = whole.flatMap(one => review(one, new Set(openOf(one, filled)), extrasField, services.settings))
  refuse(remarks.filter(({ kind }) => kind !== 'idle'))
  const taken = takenFiles(whole, { files, sent, isGroup }, sorted)
  const pinned = await pinAssets(db, whole, filled, chain)
  const idle = remarks.filter(({ kind }) => kind === 'idle').map(({ field, message }) => `${field} ${message}.`)
  return {
    snapshot,
    // The template version that named the assets is also the one that is pinned.
    assets: { ...pinned, ...templates },
    files: taken,
    takes: new Set([...sent].filter(parameter => Object.hasOwn(taken, parameter))),
    parameters: openParameters(whole),
    declined: declinedFiles(whole, sorted, extrasField),
    warnings: [...unknownKeys(sorted, whole, extrasField), ...idle],
  }
}

/** A configuration and everything its chain names, as they are now. */
export function takeSnapshot(
  root: ConfigurationRow,
  find: (name: string) => ConfigurationRow | undefined,
  maxChain: number,
): Snapshot {
  const entries = unfold(root, find, maxChain).map(
    ({ configuration, input_idx, inside }): SnapshotEntry => ({
      configuration: configuration.configuration_name,
      adapter_name: configuration.adapter_name as string,
      input_idx,
      defaults: configuration.defaults ?? {},
      auth: configuration.auth?.toString('base64') ?? null,
      activity_config: configuration.activity_config,
      // Left out of others, so that their snapshots stay the same as before.
      ...(configuration.experience_id === null && { overridable: configuration.overridable ?? [] }),
      ...neededConsent([...inside, configuration]),
    }),
  )
  return { entries }
}

/** All that is needed; it waits if one of them says so. */
function neededConsent(all: readonly ConfigurationRow[]): Pick<SnapshotEntry, 'consent'> {
  const asking = all.filter(({ needs_consent }) => needs_consent.length > 0)
  const needs = purposes.filter(purpose => asking.some(({ needs_consent }) => needs_consent.includes(purpose)))
  if (needs.length === 0) return {}
  return { consent: { needs, without: asking.some(each => each.without_consent === 'wait') ? 'wait' : 'skip' } }
}

function adapterOf(adapters: TaskServices['adapters'], { adapter_name, configuration }: SnapshotEntry): Adapter {
  const adapter = adapters.get(adapter_name)
  if (adapter) return adapter
  throw new Problem(
    'unknown_adapter',
    `The configuration "${configuration}" uses the adapter "${adapter_name}", which is not installed here.`,
  )
}

/** What is for one configuration alone must fit that one: a name or an option that is not there is a mistake. */
function eachErrors(
  all: readonly Pick<EntryToCheck, 'configuration' | 'adapter' | 'named'>[],
  extras: SortedExtras,
  path: string,
): FieldError[] {
  const names = [...new Set(all.map(({ configuration }) => configuration))]
  const strangers = [...extras.each.keys()]
    .filter(name => meant(names, name) === undefined)
    .map(name => ({
      field: `${path}.${EACH}.${name}`,
      message: `is not the configuration of an entry here (there are: ${names.join(', ')})`,
    }))
  const unknown = all.flatMap(({ configuration, adapter, named }) =>
    Object.keys(eachOf(extras, configuration)?.options ?? {})
      .filter(key => !hasOption(adapter, key) && !isRefusedInside(key))
      .map(key =>
        named({
          field: `${path}.${key}`,
          message: `is not an option of ${adapter.name} (it has ${Object.keys(adapter.options.properties).join(', ') || 'none'})`,
          kind: 'unknown' as const,
        }),
      ),
  )
  return [...strangers, ...unknown]
}

/** The parameters of these that the entry lets a task fill. */
const openOf = (entry: Pick<EntryToCheck, 'overridable'>, parameters: Iterable<string>): string[] =>
  [...parameters].filter(key => mayOverride(entry, key))

/** The parameters that files may come for. */
export const openParameters = (
  entries: readonly Pick<EntryWithOptions, 'adapter' | 'options' | 'overridable'>[],
): string[] => entries.flatMap(one => openOf(one, overridable(one.adapter, one.options)))

/** What a shared configuration keeps to itself is refused, unless another entry takes it. */
function closedErrors(
  all: readonly Pick<EntryToCheck, 'configuration' | 'overridable' | 'adapter' | 'defaults' | 'named'>[],
  extras: SortedExtras,
  path: string,
): FieldError[] {
  const { options, overrides } = extras
  const has = ({ adapter, defaults }: (typeof all)[number], key: string): boolean =>
    hasOption(adapter, key) || overridable(adapter, defaults).includes(key)
  return all.flatMap(entry => {
    if (!entry.overridable) return []
    const message = closedText(entry)
    const closed = (key: string): boolean => has(entry, key) && !mayOverride(entry, key)
    const takenElsewhere = (key: string): boolean => all.some(other => has(other, key) && mayOverride(other, key))
    const everywhere = [...Object.keys(options), ...[...overrides.keys()].map(key => `${key}_override`)].filter(key => {
      const name = key.replace(/_override$/, '')
      return closed(name) && !takenElsewhere(name)
    })
    const here = Object.keys(eachOf(extras, entry.configuration)?.options ?? {}).filter(closed)
    return [...new Set([...everywhere, ...here])].map(key => entry.named({ field: `${path}.${key}`, message }))
  })
}

function overrideErrors({ overrides }: SortedExtras, earlier: readonly string[] | null, path: string): FieldError[] {
  return [...overrides].flatMap(([parameter, names]): FieldError[] => {
    const field = `${path}.${parameter}_override`
    if (earlier === null) return [{ field, message: 'works only inside a task group' }]
    const unknown = names.find(name => meant(earlier, name) === undefined)
    if (unknown === undefined) return []
    const known = earlier.join(', ') || 'none'
    return [
      {
        field,
        message: `names "${unknown}", which is not an earlier configuration of the group (earlier are: ${known})`,
      },
    ]
  })
}

function review(
  { adapter, options, isOpen, named }: EntryWithOptions,
  filled: ReadonlySet<string>,
  path: string,
  limits: MediaLimits,
): (Remark & EntryError)[] {
  const remarks = remarksOf(adapter, options, filled, limits)
  return remarks
    .filter(({ kind }) => kind === 'wrong' || !isOpen)
    .map(remark => named({ ...remark, field: `${path}.${remark.field}` }))
}

/** Pins the current asset versions: replacing an asset later changes no task that was accepted before. */
async function pinAssets(
  db: TaskServices['db'],
  used: readonly EntryWithOptions[],
  filled: ReadonlySet<string>,
  chain: ChainToAccept,
): Promise<Record<string, StoredFile>> {
  const uses = used
    .filter(({ runs }) => runs)
    .flatMap(one => assetUses(one.adapter, one.options).map(use => ({ ...use, one })))
  // A name with placeholders is known only when the entry runs.
  const fixed = uses.filter(
    ({ parameter, name, one }) => !(filled.has(parameter) && mayOverride(one, parameter)) && !name.includes('{{'),
  )
  const assets = await currentAssets(
    db,
    chain.experienceId,
    fixed.map(use => use.name),
  )
  const missing = fixed.find(({ name }) => !Object.hasOwn(assets, name))
  if (!missing) return assets
  throw unknownAsset(missing, missing.one, chain)
}

function unknownKeys({ options, overrides }: SortedExtras, used: readonly EntryWithOptions[], path: string): string[] {
  const nobodys = Object.keys(options).filter(key => !used.some(({ adapter }) => hasOption(adapter, key)))
  const taken = new Set(used.flatMap(({ adapter, options }) => overridable(adapter, options)))
  const idle = [...overrides.keys()]
    .filter(key => !taken.has(key) && !used.some(({ isOpen }) => isOpen))
    .map(key => `${key}_override`)
  return someOf(
    [...nobodys, ...idle].map(
      key => `${path}.${key} is not an option of any adapter of this task; it was kept and changes nothing.`,
    ),
  )
}
