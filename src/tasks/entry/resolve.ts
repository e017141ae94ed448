// Resolves an entry's options (extras merged, placeholders filled), its credentials and its asset files.
import { openAuth } from '#configurations/credentials.ts'
import { mergeOptions, type SortedExtras } from '#configurations/options.ts'
import type { SnapshotEntry, StoredFile } from '#db/tables.ts'
import { type Adapter, assetUses, isDestination } from '#engine/adapter.ts'
import { valueFor } from '#engine/option-roles.ts'
import { withOwnNames } from '#engine/own-names.ts'
import { filledInPlace, refuseCrowd } from '#engine/placed.ts'
import { fillPlaceholders } from '#engine/placeholders.ts'
import { Problem } from '#kit/errors.ts'
import { type Json, type JsonObject, own } from '#kit/json.ts'
import { schemaErrors } from '#kit/schema.ts'
import type { SecretBox } from '#kit/secret/secrets.ts'
import { someOf } from '#kit/text.ts'
import { Interruption } from './interruption.ts'
import { placeValues, splitPlace } from './place-values.ts'

interface Resolved {
  options: JsonObject
  context: JsonObject
  warnings: string[]
  /** What the place of a delivery takes from its guests; null where it takes nothing. */
  placeValues: JsonObject | null
}

/** The values that every placeholder may use, besides the file's own `ext`. */
type PlaceholderValues = JsonObject

interface Further {
  template?: JsonObject | undefined
  /** What the place took from the guests at the first attempt. */
  fixed?: JsonObject | null
}

export function resolveOptions(
  adapter: Adapter,
  entry: Pick<SnapshotEntry, 'defaults' | 'overridable'>,
  extras: SortedExtras,
  values: PlaceholderValues,
  { template, fixed = null }: Further = {},
): Resolved {
  const written = mergeOptions(adapter, entry.defaults, extras, template)
  const merged = entry.overridable ? withOwnNames(adapter, written) : written
  const given = (valueFor(adapter, 'context', merged) ?? {}) as JsonObject
  const context: JsonObject = {
    ...values,
    ...extras.context,
    ...given,
    ...(isDestination(adapter) && taskIdentity(values)),
  }
  const { place, others } = splitPlace(adapter, merged)
  const known = { ...context, ...fixed }
  const [rest, there] = [filled(adapter, others, context), filled(adapter, place, known)]
  const options = { ...rest.options, ...there.options }
  refuseCrowd(adapter, [entry.defaults, template ?? {}], options)
  const missing = [...new Set([...rest.missing, ...there.missing])]
  const objects = [...new Set([...rest.objects, ...there.objects])]
  if (missing.length > 0 && valueFor(adapter, 'missing', options) === 'error') {
    throw new Problem(
      'option_missing',
      `There is no value for ${someOf(missing.map(name => `{{${name}}}`)).join(', ')}.`,
    )
  }
  const warnings = [
    ...missing.map(name => `There is no value for {{${name}}}; it was left empty.`),
    ...objects.map(name => `{{${name}}} is an object and no text, so it was left empty; name one of its values.`),
  ]
  return { options, context, warnings: someOf(warnings), placeValues: placeValues(place, known) }
}

function filled(adapter: Adapter, options: JsonObject, known: JsonObject) {
  const { value, missing, objects } = fillPlaceholders(options, known)
  return { options: withoutEmpty({ ...value, ...filledInPlace(adapter, options, known) }), missing, objects }
}

const withoutEmpty = (options: Record<string, Json | undefined>): JsonObject =>
  Object.fromEntries(Object.entries(options).filter((entry): entry is [string, Json] => entry[1] !== undefined))

/** For a destination these win over extras: no extras may make a delivery use the name of another task. */
const taskIdentity = ({ task_id, chain_id, configuration, experience_id, index }: PlaceholderValues): JsonObject =>
  Object.fromEntries(
    Object.entries({ task_id, chain_id, configuration, experience_id, index }).filter(
      ([, value]) => value !== undefined,
    ),
  ) as JsonObject

/** A stored file, and how error messages name it. */
export type LabelledFile = StoredFile & { label: string }

/** The stored files of each asset parameter: the output of an earlier configuration if it overrides, else the pinned version. */
export function assetFiles(
  adapter: Adapter,
  options: JsonObject,
  overrides: ReadonlyMap<string, LabelledFile[]>,
  pinned: Readonly<Record<string, StoredFile>>,
): Record<string, LabelledFile[]> {
  const files = new Map<string, LabelledFile[]>()
  for (const { parameter, name } of assetUses(adapter, options)) {
    if (overrides.has(parameter)) continue
    const file = own(pinned, name)
    if (!file) throw new Problem('asset_missing', `There is no asset "${name}" (option ${parameter}).`)
    const labelled = { ...file, label: `The asset "${name}"` }
    const others = files.get(parameter)
    if (others) others.push(labelled)
    else files.set(parameter, [labelled])
  }
  return Object.fromEntries([...files, ...overrides])
}

/** The credentials of an entry that is about to use them. They are checked here, because a configuration may be saved without them. */
export function usableAuth(secretBox: SecretBox, adapter: Adapter, entry: SnapshotEntry): JsonObject {
  const auth = entryAuth(secretBox, entry)
  const [missing] = adapter.auth ? schemaErrors(adapter.auth, auth, 'adapter_config.auth', 'unquoted') : []
  if (missing)
    throw new Problem(
      'bad_options',
      `The configuration "${entry.configuration}" lacks credentials: ${missing.field} ${missing.message}.`,
    )
  return auth
}

/** Credentials are sealed to the configuration they were saved with. */
export function entryAuth(secretBox: SecretBox, entry: SnapshotEntry): JsonObject {
  if (entry.auth === null) return {}
  try {
    return openAuth(secretBox, entry.configuration, Buffer.from(entry.auth, 'base64'))
  } catch {
    throw new Interruption(
      'bad_options',
      `The credentials of the configuration "${entry.configuration}" cannot be opened with the secret key that is set here; save them anew.`,
    )
  }
}
