// Adapters of others: npm packages named in a setting, held against the contract before they are taken.
import { CannotStart } from '#kit/cannot-start.ts'
import { isObject } from '#kit/json.ts'
import { type Adapter, type Adapters, type Form, formOf } from './adapter.ts'
import { adopted } from './adopted.ts'
import { liesIn, shareKit, urlOf } from './foreign-packages.ts'
import { roles, unknownRole } from './option-roles.ts'
import { notUnderstood } from './plain-schema.ts'

const forms: readonly Form[] = ['image', 'video', 'run', 'deliver']
const media = ['image', 'video', 'audio', 'file', 'same']

/**
 * Our own adapters and those of the packages; a package exports one adapter or a list of them by default. `data`: the folder
 * that media processes must not see, where it is known.
 */
export async function withForeign(own: Adapters, packages: readonly string[], data?: string): Promise<Adapters> {
  const all = new Map(own)
  if (packages.length > 0) shareKit()
  for (const name of packages) {
    if (data !== undefined && liesIn(name, data))
      throw new CannotStart(
        `KEEPSAKE_ADAPTERS: "${name}" lies in the data folder, which media processes cannot see; install it elsewhere`,
      )
    for (const adapter of await load(name)) {
      const wrong = faultOf(adapter)
      if (wrong) throw new CannotStart(`KEEPSAKE_ADAPTERS: an adapter of "${name}" ${wrong}`)
      if (all.has(adapter.name))
        throw new CannotStart(`KEEPSAKE_ADAPTERS: "${name}" brings "${adapter.name}", which is there already`)
      all.set(adapter.name, adopted(adapter))
    }
  }
  return all
}

async function load(name: string): Promise<Adapter[]> {
  try {
    const { default: found } = (await import(urlOf(name))) as { default?: unknown }
    return [found].flat() as Adapter[]
  } catch (error) {
    throw new CannotStart(
      `KEEPSAKE_ADAPTERS: "${name}" could not be loaded (${(error as NodeJS.ErrnoException).code ?? (error as Error).message})`,
    )
  }
}

/** What an adapter lacks of the contract, or null. */
export function faultOf(adapter: unknown): string | null {
  if (!isObject(adapter)) return 'is no object'
  const { name, summary, accepts, makes, options, auth } = adapter
  if (typeof name !== 'string' || !/^[a-z][a-z0-9_]{0,63}$/.test(name))
    return 'has no name of small letters, digits and _'
  if (typeof summary !== 'string' || summary === '') return `("${name}") has no summary`
  if (!Array.isArray(accepts) || accepts.length === 0 || !accepts.every(each => media.includes(each)))
    return `("${name}") does not say what it accepts`
  if (!media.includes(makes as string)) return `("${name}") does not say what it makes`
  for (const schema of [options, ...(auth === undefined ? [] : [auth])]) {
    if (!isObject(schema) || schema.type !== 'object' || !isObject(schema.properties))
      return `("${name}") has options or auth that are no object schema`
    const found = notUnderstood(schema)
    if (found !== null) return `("${name}") uses a keyword of JSON Schema that is not understood here, in ${found}`
  }
  const role = unknownRole(options)
  if (role !== null) return `("${name}") gives an option the role "${role}"; known are ${Object.keys(roles).join(', ')}`
  const working = forms.filter(form => typeof adapter[form] === 'function')
  if (working.length !== 1) return `("${name}") must have exactly one of ${forms.join(', ')}`
  return formOf(adapter as unknown as Adapter) === working[0] ? null : `("${name}") has a form that is no function`
}
