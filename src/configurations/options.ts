// The options of an adapter: checking stored defaults, and laying a task's extras over them.
import type { TSchema } from 'typebox'
import type { Adapter } from '#engine/adapter.ts'
import { optionFor } from '#engine/option-roles.ts'
import { overTemplate } from '#engine/template.ts'
import type { FieldError } from '#kit/errors.ts'
import { deepMerge, isObject, type Json, type JsonObject } from '#kit/json.ts'
import { partialOf, schemaErrors, withDefaults } from '#kit/schema.ts'
import { meant } from '#kit/text.ts'
import { placeholderErrors, type Running, targetErrors } from './target.ts'

export const lookupKinds = ['email', 'qr_code', 'rfid', 'profile_id'] as const
const OVERRIDE = '_override'
const CONTEXT = 'additional_context'
export const EACH = 'per_configuration'

/** Defaults may leave required options to extras, so here nothing is required. */
const partials = new WeakMap<Adapter, TSchema>()

function partial(adapter: Adapter): TSchema {
  let schema = partials.get(adapter)
  if (!schema) {
    schema = { ...partialOf(adapter.options), additionalProperties: false }
    partials.set(adapter, schema)
  }
  return schema
}

/** An option with a default may be left out, at any depth: a layer of a canvas, for example, need not set everything. */
export const validateDefaults = (
  adapter: Adapter,
  defaults: JsonObject,
  path = 'adapter_config.defaults',
  auth: JsonObject = {},
): FieldError[] => [
  ...schemaErrors(partial(adapter), withDefaults(partial(adapter), defaults), path),
  ...placeholderErrors(adapter, defaults, path, auth),
]

/** No message quotes a value: it may be a secret. A part that is missing is of the kind `required`. */
export const validateAuth = (adapter: Adapter, auth: JsonObject, path = 'adapter_config.auth'): FieldError[] => {
  if (adapter.auth) return schemaErrors(adapter.auth, withDefaults(adapter.auth, auth), path, 'unquoted')
  return Object.keys(auth).map(key => ({
    field: `${path}.${key}`,
    message: `is not known here; ${adapter.name} takes no credentials`,
    kind: 'unknown',
  }))
}

/** Extras, sorted: lookups of guests, options, context, and overrides of assets. */
export interface SortedExtras {
  lookups: { kind: (typeof lookupKinds)[number]; value: string }[]
  /** From an asset parameter to the earlier configurations whose outputs replace the asset. */
  overrides: Map<string, string[]>
  options: JsonObject
  context: JsonObject
  /** Whether `context` wins over the values of the defaults; false of a shared configuration that does not allow it. */
  isContextOpen: boolean
  /** What `per_configuration` says, by the name of the configuration. */
  each: ReadonlyMap<string, OwnExtras>
}

/** Extras for the entries of one configuration alone. */
type OwnExtras = Pick<SortedExtras, 'options' | 'context'>

export function sortExtras(extras: JsonObject, path: string): { sorted: SortedExtras; errors: FieldError[] } {
  const lookups: SortedExtras['lookups'] = []
  const overrides = new Map<string, string[]>()
  const options: [string, Json][] = []
  const errors: FieldError[] = []
  let context: JsonObject = {}
  let each: SortedExtras['each'] = new Map()
  for (const [key, value] of Object.entries(extras)) {
    const field = `${path}.${key}`
    const kind = lookupKinds.find(name => name === key)
    if (kind) {
      const values = lookupValues(value)
      if (typeof values === 'string') errors.push({ field, message: values })
      else lookups.push(...values.map(item => ({ kind, value: item })))
    } else if (key === CONTEXT) {
      if (isObject(value)) context = value as JsonObject
      else errors.push({ field, message: 'must be an object' })
    } else if (key === EACH) {
      const own = sortEach(value, field)
      each = own.each
      errors.push(...own.errors)
    } else if (key.endsWith(OVERRIDE)) {
      const names = [value].flat()
      if (names.length > 0 && names.every(item => typeof item === 'string'))
        overrides.set(key.slice(0, -OVERRIDE.length), names as string[])
      else
        errors.push({
          field,
          message: 'must be the name of an earlier configuration of the group, or a list of such names',
        })
    } else if (key === 'auth') errors.push({ field, message: NO_AUTH })
    else options.push([key, value])
  }
  return {
    sorted: { lookups, overrides, options: Object.fromEntries(options), context, isContextOpen: true, each },
    errors,
  }
}

const NO_AUTH = 'credentials can’t be overridden by extras'

/** The values that find guests, or what is wrong. Forms send empty fields, and readers of tags send numbers. */
function lookupValues(value: Json): string[] | string {
  const given = [value].flat().filter(item => item !== null && !(typeof item === 'string' && item.trim() === ''))
  if (given.some(item => typeof item === 'number' && Number.isInteger(item) && !Number.isSafeInteger(item)))
    return 'holds a number of more digits than JSON readers keep; send it as text'
  return given.every(item => typeof item === 'string' || typeof item === 'number')
    ? given.map(String)
    : 'must be text, a number, or a list of these'
}

function sortEach(value: Json, path: string): { each: SortedExtras['each']; errors: FieldError[] } {
  const message = 'must be an object, from the name of a configuration to its options, like {"frame": {"fit": "none"}}'
  if (!isObject(value)) return { each: new Map(), errors: [{ field: path, message }] }
  const each = new Map<string, OwnExtras>()
  const errors: FieldError[] = []
  for (const [name, own] of Object.entries(value as JsonObject)) {
    const field = `${path}.${name}`
    if (!isObject(own)) {
      errors.push({ field, message: 'must be an object of options' })
      continue
    }
    const { [CONTEXT]: context = {}, ...options } = own as JsonObject
    if (!isObject(context)) errors.push({ field: `${field}.${CONTEXT}`, message: 'must be an object' })
    for (const key of Object.keys(options)) {
      const refusal = refusalInside(key)
      if (refusal !== null) errors.push({ field: `${field}.${key}`, message: refusal })
    }
    each.set(name, { options, context: isObject(context) ? (context as JsonObject) : {} })
  }
  return { each, errors }
}

export const isRefusedInside = (key: string): boolean => refusalInside(key) !== null

function refusalInside(key: string): string | null {
  if (key === 'auth') return NO_AUTH
  if (lookupKinds.some(name => name === key)) return `finds a guest of the whole task, so it can’t stand in ${EACH}`
  return key.endsWith(OVERRIDE) ? `can’t stand in ${EACH}, which holds options alone` : null
}

/** What is known of an entry before its adapter is: a shared one lists the options that extras may change. */
interface Overridden {
  configuration: string
  overridable?: readonly string[]
}

/** The extras as the entries of one configuration see them: what is for these alone wins, and what they don't allow is left out. */
export function extrasFor(extras: SortedExtras, entry: Overridden, adapter?: Adapter): SortedExtras {
  const mine = withOwn(extras, entry.configuration)
  if (!entry.overridable) return mine
  const context = adapter ? optionFor(adapter, 'context') : null
  return {
    ...mine,
    options: Object.fromEntries(Object.entries(mine.options).filter(([key]) => mayOverride(entry, key))),
    overrides: new Map([...mine.overrides].filter(([key]) => mayOverride(entry, key))),
    isContextOpen: context === null || mayOverride(entry, context),
  }
}

export const mayOverride = ({ overridable }: Pick<Overridden, 'overridable'>, key: string): boolean =>
  overridable?.includes(key) ?? true

/** What is for the entries of one configuration alone, in whatever form its name is written. */
export const eachOf = ({ each }: SortedExtras, configuration: string): OwnExtras | undefined =>
  each.get(meant(each.keys(), configuration) ?? '')

function withOwn(extras: SortedExtras, configuration: string): SortedExtras {
  const own = eachOf(extras, configuration)
  if (!own) return extras
  return {
    ...extras,
    options: Object.fromEntries([...Object.entries(extras.options), ...Object.entries(own.options)]),
    context: deepMerge(extras.context, own.context),
  }
}

/** The extras that this adapter knows win over the defaults, those over the template, and that over the schema's own defaults. */
export function mergeOptions(
  adapter: Adapter,
  defaults: JsonObject,
  extras: SortedExtras,
  template: JsonObject = {},
): JsonObject {
  const known = Object.entries(extras.options).filter(([key]) => hasOption(adapter, key))
  const options = overTemplate(template, { ...defaults, ...Object.fromEntries(known) })
  const context = optionFor(adapter, 'context')
  if (context !== null && isObject(options[context] ?? {}))
    options[context] = extras.isContextOpen
      ? deepMerge((options[context] ?? {}) as JsonObject, extras.context)
      : deepMerge(extras.context, (options[context] ?? {}) as JsonObject)
  return withDefaults(adapter.options, options)
}

/** Errors in the merged options of one entry, named by the caller's fields. `given`: asset parameters whose files come with the task. */
export function extrasErrors(
  adapter: Adapter,
  running: Running,
  extras: SortedExtras,
  path: string,
  given: Iterable<string> = [],
): FieldError[] {
  const elsewhere = [
    ...targetErrors(adapter, running, extras.options, path),
    ...placeholderErrors(adapter, extras.options, path),
  ]
  if (elsewhere.length > 0) return elsewhere
  // An asset parameter with an override or with files of its own need not be set.
  const standIns = Object.fromEntries(
    [...extras.overrides.keys(), ...given]
      .filter(key => isParameter(adapter, key))
      .map(key => [key, isListParameter(adapter, key) ? ['override'] : 'override']),
  )
  return schemaErrors(adapter.options, { ...mergeOptions(adapter, running.defaults, extras), ...standIns }, path)
}

export const hasOption = (adapter: Adapter, key: string): boolean => Object.hasOwn(adapter.options.properties, key)

const isParameter = (adapter: Adapter, name: string): boolean =>
  (adapter.assets ?? []).some(parameter => parameter.name === name)

const isListParameter = (adapter: Adapter, name: string): boolean =>
  (adapter.assets ?? []).some(parameter => parameter.name === name && parameter.list === true)
