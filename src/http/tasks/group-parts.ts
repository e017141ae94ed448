// Reads the parts of a task group: which configurations, what each takes, and what holds for all of them.
import type { ChainInput } from '#db/tables.ts'
import { badField, type Problem } from '#kit/errors.ts'
import { checkUrlField, type Outbound } from '#kit/net/outbound.ts'
import { meant } from '#kit/text.ts'
import type { ChainRequest } from '#tasks/accept/create.ts'
import { parseJson } from '../wire/json-body.ts'
import type { PartRules, Received } from '../wire/multipart.ts'
import type { InputSources } from './input-sources.ts'
import { isGroupFilesPart } from './task-files.ts'
import { inputParts, readExtras, readInput, requiredField } from './task-parts.ts'

export const NAMES = 'configuration_names'

export function readNames(fields: ReadonlyMap<string, string>, maxGroup: number): string[] {
  const field = NAMES
  const names = parseJson(requiredField({ fields }, field), field)
  if (!Array.isArray(names) || names.length === 0 || !names.every(name => typeof name === 'string' && name !== ''))
    throw badField(field, 'must be a JSON array of names, like ["one", "two"]', 'bad_group')
  if (names.length > maxGroup)
    throw badField(field, `a group may have ${maxGroup} configurations at most (KEEPSAKE_MAX_GROUP)`, 'over_limit')
  const twice = names.find((name, position) => names.indexOf(name) !== position)
  if (twice !== undefined) throw badField(field, `names "${twice}" twice`, 'bad_group')
  return names as string[]
}

export const partsOf = ({ fields, files, lists }: Received): string[] => [
  ...fields.keys(),
  ...files.keys(),
  ...lists.keys(),
]

interface PartNames {
  /** Those of each listed configuration begin with its name. */
  suffixes: readonly string[]
  plain: readonly string[]
}

const made: PartNames = {
  suffixes: ['_data', '_data_url', '_data_upload', '_input', '_extras'],
  plain: [NAMES, 'webhook_url', 'on_failure', 'experience_id', 'keepsake', 'consent'],
}
const retried: PartNames = { suffixes: ['_data', '_data_url', '_data_upload', '_extras'], plain: [] }

/** Decided by the part's name alone: a client need not send a file name, and no field of a group ends like this. */
const isFile = (name: string): boolean => name.endsWith('_data') || isGroupFilesPart(name)

/** Names that no configuration makes a part are refused before they are read: what is no part need not be text. */
const rulesFor = (known: PartNames): PartRules => ({
  file: isFile,
  field: name => !isFile(name) && (known.plain.includes(name) || known.suffixes.some(suffix => name.endsWith(suffix))),
  repeats: isGroupFilesPart,
  unknown: name => unknownPart(name, known),
})

export const groupParts = rulesFor(made)
export const groupRetryParts = rulesFor(retried)

export const refuseUnknownParts = (parts: readonly string[], names: readonly string[]): void =>
  refuseOthers(parts, names, made)

export const refuseUnknownRetryParts = (parts: readonly string[], names: readonly string[]): void =>
  refuseOthers(parts, names, retried)

function refuseOthers(parts: readonly string[], names: readonly string[], known: PartNames): void {
  const all = new Set([...known.plain, ...names.flatMap(name => known.suffixes.map(suffix => name + suffix))])
  const unknown = parts.find(part => meant(all, part) === undefined && !isGroupFilesPart(part))
  if (unknown !== undefined) throw unknownPart(unknown, known)
}

/** Gives the parts of listed configurations the spelling of the list. */
export function respell({ fields, files }: Received, names: readonly string[]): void {
  const listed = names.flatMap(name => made.suffixes.map(suffix => name + suffix))
  const give = <T>(parts: Map<string, T>): void => {
    for (const [part, value] of [...parts]) {
      const name = meant(listed, part) ?? part
      if (name === part) continue
      if (parts.has(name)) throw badField(part, `is there twice, also as "${name}"`, 'bad_group')
      parts.delete(part)
      parts.set(name, value)
    }
  }
  give(fields)
  give(files)
}

const unknownPart = (name: string, { suffixes }: PartNames): Problem =>
  badField(
    name,
    `is not a part of this group; for each listed configuration there may be ${suffixes.map(suffix => `NAME${suffix}`).join(', ')}, and files in place of an asset are PARAM_override`,
    'bad_group',
  )

export async function readChain(
  received: Received,
  name: string,
  earlier: readonly string[],
  sources: InputSources,
): Promise<ChainRequest> {
  const extrasField = `${name}_extras`
  const wanted = received.fields.get(`${name}_input`)
  const from = wanted === undefined ? undefined : meant(earlier, wanted)
  if (wanted !== undefined && from === undefined)
    throw badField(
      `${name}_input`,
      `names "${wanted}", which is not an earlier configuration of the group (earlier are: ${earlier.join(', ') || 'none'})`,
      'bad_group',
    )
  // The output of an earlier configuration wins over a file that was also sent.
  const unused = from === undefined ? [] : inputParts(`${name}_data`).filter(part => partsOf(received).includes(part))
  const input: ChainInput | undefined =
    from === undefined ? await readInput(received, `${name}_data`, sources) : { from }
  if (!input)
    throw badField(
      `${name}_data`,
      `"${name}" needs one of ${name}_data, ${name}_data_url, ${name}_data_upload and ${name}_input`,
      'bad_group',
    )
  return {
    configuration: name,
    field: 'configuration_names',
    input,
    extras: readExtras(received, extrasField),
    extrasField,
    warnings: unused.map(part => `${part} was not used, because ${name}_input names the output of "${from}".`),
  }
}

export function readOnFailure({ fields }: Received): 'stop' | 'continue' {
  const wanted = fields.get('on_failure') || 'stop'
  if (wanted !== 'stop' && wanted !== 'continue') throw badField('on_failure', 'must be stop or continue', 'bad_group')
  return wanted
}

export function readWebhook({ fields }: Received, outbound: Outbound): string | null {
  const url = fields.get('webhook_url')
  if (url === undefined || url === '') return null
  checkUrlField(outbound, 'webhook_url', url)
  return url
}
