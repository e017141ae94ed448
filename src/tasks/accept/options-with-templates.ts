// Merges each entry's options with its template asset (current version).
import { mayOverride, mergeOptions, type SortedExtras } from '#configurations/options.ts'
import { readTemplate, templateName } from '#configurations/read-template.ts'
import { currentAssets } from '#db/nouns/asset-files.ts'
import type { StoredFile } from '#db/tables.ts'
import type { Adapter, AssetUse } from '#engine/adapter.ts'
import { Problem } from '#kit/errors.ts'
import { type JsonObject, own } from '#kit/json.ts'
import { labelled, partFor } from '../entry/given-files.ts'
import type { TaskServices } from '../task-services.ts'
import type { ChainToAccept } from './accept.ts'
import type { InEntry } from './entry-errors.ts'

export interface EntryToCheck {
  index: number
  configuration: string
  /** Of a shared configuration: the options that extras may change. */
  overridable?: readonly string[]
  /** False: the entry has run before, and its template may be gone since. */
  runs: boolean
  adapter: Adapter
  defaults: JsonObject
  /** As this entry sees them. */
  extras: SortedExtras
  named: InEntry
}

export interface EntryWithOptions extends EntryToCheck {
  options: JsonObject
  /** The template is known only when the entry runs, so an option that seems missing may be in it. */
  isOpen: boolean
}

interface WholeChain {
  whole: EntryWithOptions[]
  /** The template versions that were read, by asset name. */
  templates: Record<string, StoredFile>
}

export async function mergeTemplates(
  { db, blobs }: Pick<TaskServices, 'db' | 'blobs'>,
  used: readonly EntryToCheck[],
  given: ReadonlyMap<string, StoredFile[]>,
  chain: ChainToAccept,
): Promise<WholeChain> {
  const templates = new Map<string, StoredFile>()
  const whole: EntryWithOptions[] = []
  for (const entry of used) {
    const { runs, adapter, defaults, extras } = entry
    const plain = { ...entry, options: mergeOptions(adapter, defaults, extras) }
    const parameter = adapter.template?.parameter ?? ''
    const name = templateName(adapter, plain.options)
    const sent = mayOverride(entry, parameter) ? given.get(parameter) : undefined
    const [file] = labelled(sent ?? [], partFor(parameter, chain.earlier !== null))
    if (file && runs) {
      const template = await readTemplate(blobs, adapter, file.label, file)
      whole.push({ ...plain, options: mergeOptions(adapter, defaults, extras, template), isOpen: false })
    } else if (!runs || extras.overrides.has(parameter) || name?.includes('{{')) whole.push({ ...plain, isOpen: true })
    else if (name === null) whole.push({ ...plain, isOpen: false })
    else {
      const file = templates.get(name) ?? own(await currentAssets(db, chain.experienceId, [name]), name)
      if (!file) throw unknownAsset({ parameter, name }, entry, chain)
      templates.set(name, file)
      const template = await readTemplate(blobs, adapter, `The asset "${name}"`, file)
      whole.push({ ...plain, options: mergeOptions(adapter, defaults, extras, template), isOpen: false })
    }
  }
  return { whole, templates: Object.fromEntries(templates) }
}

export function unknownAsset(
  { parameter, name }: AssetUse,
  { index, configuration, extras, named }: Pick<EntryToCheck, 'index' | 'configuration' | 'extras' | 'named'>,
  { experienceId, field, extrasField }: Pick<ChainToAccept, 'experienceId' | 'field' | 'extrasField'>,
): Problem {
  const message = `There is no asset "${name}" in the experience "${experienceId}" (option ${parameter}, entry ${index}, "${configuration}").`
  const isExtra = Object.hasOwn(extras.options, parameter)
  const error = isExtra ? named({ field: `${extrasField}.${parameter}`, message }) : { field, message }
  return new Problem('unknown_asset', message, { errors: [{ field: error.field, message }] })
}
