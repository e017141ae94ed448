// Checks files that come in place of assets: whether an entry takes them, how many, and of what kind.
import { mayOverride, type SortedExtras } from '#configurations/options.ts'
import { templateName } from '#configurations/read-template.ts'
import type { ChainFiles, StoredFile } from '#db/tables.ts'
import type { WholeTask } from '#db/tasks/task-rows.ts'
import { type Adapter, overridable } from '#engine/adapter.ts'
import { Problem } from '#kit/errors.ts'
import type { Medium } from '#kit/file-facts.ts'
import { isObject, type JsonObject } from '#kit/json.ts'
import { someOf } from '#kit/text.ts'
import { givenFiles, partFor } from '../entry/given-files.ts'
import type { TaskServices } from '../task-services.ts'
import type { AcceptedChain } from './accept.ts'
import { closedText, entryText } from './entry-errors.ts'
import type { EntryWithOptions } from './options-with-templates.ts'

/** What an adapter takes for one of its asset parameters. */
interface Taking {
  accepts: readonly Medium[]
  isFont: boolean
  /** How many files. */
  most: number
}

const media: readonly Medium[] = ['image', 'video', 'audio']

/** Undefined where these options have no such parameter. */
function takingOf(adapter: Adapter, options: JsonObject, parameter: string): Taking | undefined {
  const declared = adapter.assets?.find(({ name }) => name === parameter)
  if (declared) {
    const schema: unknown = adapter.options.properties[parameter]
    const most = isObject(schema) && typeof schema.maxItems === 'number' ? schema.maxItems : Number.POSITIVE_INFINITY
    return { accepts: declared.accepts, isFont: declared.isFont ?? false, most: declared.list ? most : 1 }
  }
  const place = adapter.assetsIn?.(options).find(each => each.parameter === parameter && !each.isIdle)
  return place && { accepts: place.accepts ?? media, isFont: false, most: 1 }
}

/** Whether an adapter may have the parameter with some options. A template may bring places that only it names. */
const mayHave = ({ assets = [], assetsIn }: Adapter, parameter: string): boolean =>
  assetsIn !== undefined || assets.some(({ name }) => name === parameter)

/** Whether an entry with these options takes files for the parameter, as far as that is known without its template. */
export const takesFiles = (adapter: Adapter, options: JsonObject, parameter: string): boolean =>
  overridable(adapter, options).includes(parameter) ||
  (mayHave(adapter, parameter) && templateName(adapter, options) !== null)

interface GivenFiles {
  files: ChainFiles
  /** The parameters whose files came with this request; the others are there since an earlier run. */
  sent: ReadonlySet<string>
  isGroup: boolean
  /** The token may bring any kind of file, as it may make assets. */
  anyFile: boolean
}

/** Throws before a file is read for what it says, if the token may not bring its kind. */
export function refuseOtherKinds(
  entries: readonly Pick<EntryWithOptions, 'adapter' | 'configuration' | 'index'>[],
  { sent, isGroup, anyFile }: Omit<GivenFiles, 'files'>,
): void {
  if (anyFile) return
  for (const { adapter, configuration, index } of entries) {
    const place = adapter.assets?.find(({ name, accepts }) => sent.has(name) && accepts.includes('file'))
    if (!place) continue
    const what = place.isFont ? 'a font' : 'a file that is no picture, video or sound'
    const part = partFor(place.name, isGroup)
    const message = `needs a token with the scope "write", because ${adapter.name} ${entryText(configuration, index)} takes ${what} there`
    throw new Problem('forbidden', `${part} ${message}.`, { errors: [{ field: part, message }] })
  }
}

/** The files that the chain keeps. Throws for one that does not fit. */
export function takenFiles(
  whole: readonly EntryWithOptions[],
  { files, sent, isGroup }: Omit<GivenFiles, 'anyFile'>,
  extras: SortedExtras,
): ChainFiles {
  const given = givenFiles(files, extras)
  const kept = Object.entries(files).filter(([parameter, list]) => {
    if (!sent.has(parameter)) return true
    if (!given.has(parameter)) return false
    const part = partFor(parameter, isGroup)
    const open = whole.filter(one => mayOverride(one, parameter))
    const takers = open.flatMap(one => {
      const taking = takingOf(one.adapter, one.options, parameter)
      return taking ? [{ ...one, taking }] : []
    })
    for (const taker of takers)
      check(
        list,
        part,
        taker.taking,
        `${parameter} of ${taker.adapter.name} ${entryText(taker.configuration, taker.index)}`,
      )
    const mayCome = open.some(({ adapter, isOpen, runs }) => isOpen && runs && mayHave(adapter, parameter))
    // What a template asks for is known only when it is read: until then it is a picture, a video or a sound.
    if (takers.length === 0 && mayCome) check(list, part, { accepts: media, isFont: false, most: 1 }, parameter)
    return takers.length > 0 || mayCome
  })
  return Object.fromEntries(kept)
}

function check(list: readonly StoredFile[], part: string, { accepts, isFont, most }: Taking, who: string): void {
  if (list.length > most)
    throw refusal(part, `holds ${list.length} files, but ${who} takes ${most === 1 ? 'one' : `${most} at most`}`)
  for (const [at, file] of list.entries()) {
    const fits = isFont ? file.mime.startsWith('font/') : accepts.includes('file') || accepts.includes(file.medium)
    if (fits) continue
    const which = list.length === 1 ? 'is' : `holds as file ${at + 1}`
    const wanted = isFont ? 'a font' : accepts.map(medium => kinds[medium]).join(' or ')
    throw refusal(part, `${which} ${kinds[file.medium]} (${file.mime}), but ${who} takes ${wanted}`)
  }
}

const kinds: Record<Medium, string> = {
  image: 'a picture',
  video: 'a video',
  audio: 'a sound',
  file: 'neither picture, video nor sound',
}

const refusal = (field: string, message: string): Problem =>
  new Problem('bad_request', `${field} ${message}.`, { errors: [{ field, message }] })

/** Throws for parameters that none of the adapters can have, whatever their options. */
export function refuseUnknown(parameters: Iterable<string>, adapters: readonly Adapter[], isGroup: boolean): void {
  const declared = adapters.flatMap(({ assets = [] }) => assets.map(({ name }) => name))
  for (const parameter of parameters)
    if (!adapters.some(adapter => mayHave(adapter, parameter))) throw untaken(parameter, declared, isGroup)
}

/** The same for a task that was accepted before. */
export const refuseUnknownIn = (
  { adapters }: Pick<TaskServices, 'adapters'>,
  { chains, is_group }: WholeTask,
  parameters: Iterable<string>,
): void => {
  const entries = chains.flatMap(chain => chain.entries)
  refuseUnknown(
    parameters,
    entries.flatMap(({ adapter_name }) => adapters.get(adapter_name) ?? []),
    is_group,
  )
}

/** Why a chain that has a parameter does not take the files that come for it. */
interface Declined {
  /** `outdone`: its extras name an output for the parameter. `closed`: a shared configuration keeps the parameter to itself. */
  kind: 'outdone' | 'closed'
  message: string
}

export type DeclinedFiles = ReadonlyMap<string, Declined>

/** By parameter, whether files come for it or not. */
export function declinedFiles(
  entries: readonly Pick<EntryWithOptions, 'adapter' | 'options' | 'configuration' | 'overridable'>[],
  { overrides }: SortedExtras,
  extrasField: string,
): DeclinedFiles {
  const has = (parameter: string): boolean =>
    entries.some(one => mayOverride(one, parameter) && takesFiles(one.adapter, one.options, parameter))
  const closed = entries.flatMap(one =>
    overridable(one.adapter, one.options)
      .filter(parameter => !mayOverride(one, parameter))
      .map(parameter => [parameter, { kind: 'closed', message: closedText(one) }] as const),
  )
  const outdone = [...overrides]
    .filter(([parameter]) => has(parameter))
    .map(([parameter, names]) => {
      const outputs = `the output${names.length === 1 ? '' : 's'} of ${names.map(name => `"${name}"`).join(', ')}`
      return [parameter, { kind: 'outdone', message: `${extrasField}.${parameter}_override names ${outputs}` }] as const
    })
  return new Map<string, Declined>([...closed, ...outdone])
}

/** Warnings about files that no chain takes although one could. Throws for those that no chain can take. */
export function reviewUntaken(
  parameters: Iterable<string>,
  chains: readonly Pick<AcceptedChain, 'takes' | 'parameters' | 'declined'>[],
  isGroup: boolean,
): string[] {
  const known = chains.flatMap(chain => chain.parameters)
  return [...parameters]
    .filter(parameter => !chains.some(({ takes }) => takes.has(parameter)))
    .map(parameter => {
      const part = partFor(parameter, isGroup)
      const reasons = chains.flatMap(({ declined }) => declined.get(parameter) ?? [])
      const outdone = reasons.find(({ kind }) => kind === 'outdone')
      if (outdone) return `${part} was not used, because ${outdone.message}.`
      throw reasons[0] ? refusal(part, reasons[0].message) : untaken(parameter, known, isGroup)
    })
}

function untaken(parameter: string, known: readonly string[], isGroup: boolean): Problem {
  const there = [...new Set(known)].map(name => partFor(name, isGroup))
  const noun = isGroup ? 'group' : 'task'
  return refusal(
    partFor(parameter, isGroup),
    there.length === 0
      ? `is not known here: no entry of this ${noun} has an asset parameter`
      : `is not known here: no entry of this ${noun} has an asset parameter "${parameter}" to fill (there may be ${someOf(there).join(', ')})`,
  )
}
