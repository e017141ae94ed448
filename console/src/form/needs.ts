// What a configuration still lacks: options it must have, and options that may come with the extras of a task.
import type { Adapter, Configuration, Json, JsonObject, JsonSchema } from '../api/shapes.ts'
import { t } from '../words/t.ts'
import { isEmpty } from './field-errors.ts'
import { inSentence, labelOf } from './words.ts'

export interface Need {
  /** Like `defaults.method` or `auth.secret_key`. */
  field: string
  option: string
  label: string
  /** `must`: nothing else can give it. `extras`: it may come with a task. */
  how: 'must' | 'extras'
  schema: JsonSchema
}

/** An option with a default is listed as required by some schemas, but nobody has to give it. */
export const requiredOf = ({ required = [], properties = {} }: JsonSchema): Set<string> =>
  new Set(required.filter(name => properties[name]?.default === undefined))

export function needsOf(adapter: Adapter, configuration: Configuration): Need[] {
  const { defaults = {}, auth = {} } = configuration.adapter_config ?? {}
  const isLacking = (values: JsonObject, name: string) => isEmpty(values[name])
  const mayCome = (name: string): boolean =>
    !adapter.fixed_options.includes(name) &&
    (configuration.experience_id !== null || (configuration.overridable ?? []).includes(name))
  const need = (group: 'defaults' | 'auth', name: string, how: Need['how'], others: readonly string[] = []): Need => {
    const schema = (group === 'auth' ? adapter.auth_schema : adapter.defaults_schema).properties?.[name] ?? {}
    return {
      field: `${group}.${name}`,
      option: name,
      label: others.reduce(
        (label, other) => t('{label} or {other}', { label, other: inSentence(other) }),
        labelOf(name, schema),
      ),
      how,
      schema,
    }
  }
  const options = [...requiredOf(adapter.defaults_schema)]
    .filter(name => isLacking(defaults, name))
    .map(name => need('defaults', name, mayCome(name) ? 'extras' : 'must'))
  const [first, ...others] = adapter.one_of
  // A template brings options of its own.
  const isOpen = first !== undefined && adapter.one_of.every(name => isLacking(defaults, name))
  const either = isOpen
    ? [
        need(
          'defaults',
          first,
          adapter.one_of.some(mayCome) ? 'extras' : 'must',
          others.map(other => labelOf(other)),
        ),
      ]
    : []
  const credentials = [...requiredOf(adapter.auth_schema)]
    .filter(name => isLacking(auth, name))
    .map(name => need('auth', name, 'must'))
  return [...options, ...either, ...credentials]
}

/** Placeholders that the service fills in itself. */
const own = new Set(['task_id', 'chain_id', 'configuration', 'experience_id', 'index', 'ext', 'now', 'guest_url'])

/** Names between two braces, in any text of the options; those that somebody must give a value for. */
export function placeholdersIn(value: Json): string[] {
  const found = new Set<string>()
  const look = (inner: Json): void => {
    if (typeof inner === 'string') for (const name of namesIn(inner)) found.add(name)
    else if (Array.isArray(inner)) inner.forEach(look)
    else if (inner && typeof inner === 'object') Object.values(inner).forEach(look)
  }
  look(value)
  return [...found].filter(name => !own.has(name))
}

function namesIn(text: string): string[] {
  const names: string[] = []
  for (let from = text.indexOf('{{'); from >= 0; from = text.indexOf('{{', from + 2)) {
    const end = text.indexOf('}}', from)
    if (end < 0) break
    const name = text.slice(from + 2, end).trim()
    if (name !== '' && !name.includes('{')) names.push(name)
  }
  return names
}
