// Options that lie in an asset as JSON: checked like options, and laid below those that are set.
import { type FieldError, Problem } from '#kit/errors.ts'
import { deepMerge, ENDLESS, endlessIn, isObject, type Json, type JsonObject, nestsDeeperThan, own } from '#kit/json.ts'
import { schemaErrors, withDefaults } from '#kit/schema.ts'
import type { Adapter, OptionsTemplate } from './adapter.ts'

const MOST_DEPTH = 32
const TOLD = 5

/** What a template holds, or a Problem that says all that is wrong with it. `label` is how the operator knows it. */
export function parseTemplate(adapter: Adapter, { schema }: OptionsTemplate, label: string, text: string): JsonObject {
  const refuse = (why: string): Problem =>
    new Problem('bad_options', `${label} is no template for ${adapter.name}: ${why}.`)
  if (nestsDeeperThan(text, MOST_DEPTH)) throw refuse('it is nested too deeply')
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    throw refuse('it is not valid JSON')
  }
  const known = Object.keys(schema.properties)
  if (!isObject(given)) throw refuse(`it must be a JSON object with ${known.join(' and ')}`)
  const endless = endlessIn(given)
  if (endless !== null) throw refuse(`${endless} ${ENDLESS}`)
  const template = given as JsonObject
  const errors = schemaErrors(schema, withDefaults(schema, template)).filter(error => !isOpen(template, error))
  // What does not even fit the schema can't be looked at as a whole.
  if (errors.length === 0) errors.push(...mistakes(adapter, template))
  if (errors.length === 0) return template
  throw refuse(
    errors
      .slice(0, TOLD)
      .map(({ field, message }) => `${field} ${message}`)
      .join('; '),
  )
}

const mistakes = (adapter: Adapter, template: JsonObject): FieldError[] =>
  (adapter.review?.(withDefaults(adapter.options, template), new Set()) ?? []).filter(({ kind }) => kind === 'wrong')

/** A value with placeholders can be judged only when they are filled in. */
function isOpen(template: JsonObject, { field }: FieldError): boolean {
  let here: Json | undefined = template
  for (const part of field.split(/[.[\]]+/).filter(Boolean))
    here = Array.isArray(here) ? here[Number(part)] : isObject(here) ? own(here as JsonObject, part) : undefined
  return typeof here === 'string' && here.includes('{{')
}

/** An empty list or null in the options leaves the template's own in place. */
export function overTemplate(template: JsonObject, options: JsonObject): JsonObject {
  const isSet = (value: Json): boolean => value !== null && !(Array.isArray(value) && value.length === 0)
  const set = Object.entries(options).filter(([key, value]) => isSet(value) || !Object.hasOwn(template, key))
  return deepMerge(template, Object.fromEntries(set))
}
