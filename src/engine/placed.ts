// What placeholders stand for, made fit for the place where they stand: inside of a page, a URL, a folder or a name.
import { Problem } from '#kit/errors.ts'
import type { Json, JsonObject } from '#kit/json.ts'
import { escaped, strictlyEncoded } from '#kit/text.ts'
import type { Adapter } from './adapter.ts'
import { fillPlaceholders, placeholdersIn, splitLead, withStandIns } from './placeholders.ts'

/**
 * Said by the schema of an option as `placeholders`. `url`: what is filled in stays inside of its part of a path or a query.
 * `link`: the same, but the first may stand for a whole address. For guests alone: the service itself goes to no such address.
 * `path`: it may name folders, and leads out of none. `addresses`: each stands for one address, so a guest adds no further recipient.
 */
type Place = 'url' | 'link' | 'path' | 'addresses'

/** The options that hold more than text, filled in as their place needs it. Undefined: nothing is left of it, so it counts as not given. */
export function filledInPlace(
  adapter: Adapter,
  options: JsonObject,
  context: JsonObject,
): Record<string, Json | undefined> {
  const filled: Record<string, Json | undefined> = {}
  for (const [key, schema] of Object.entries(adapter.options.properties)) {
    const { contentMediaType, placeholders } = schema as { contentMediaType?: string; placeholders?: Place }
    const template = options[key]
    if (typeof template !== 'string' || !template.includes('{{')) continue
    // A guest's name must not become part of a page.
    if (contentMediaType === 'text/html') filled[key] = fillPlaceholders(template, mapped(context, escaped)).value
    if (placeholders === 'url') filled[key] = filledUrl(key, template, context)
    if (placeholders === 'link') filled[key] = filledLink(key, template, context)
    if (placeholders === 'path') filled[key] = filledPath(key, template, context)
    if (placeholders === 'addresses') filled[key] = filledAddresses(key, template, context)
  }
  return filled
}

/** Letters, digits and `-._~` stay as they are, so no value ends its part or begins another. */
function filledUrl(key: string, template: string, context: JsonObject): string {
  const url = fillPlaceholders(template, mapped(context, strictlyEncoded)).value
  const dots = /^(\.|%2e){1,2}$/i
  if (dotParts(pathOf(url), dots) > dotParts(pathOf(withStandIns(template)), dots))
    throw new Problem('bad_options', `${key}: what its placeholders stand for may not be "." or "..".`)
  return url
}

/** What can't stand in an address, or would end it in a text. */
const NO_ADDRESS = /[\s\p{Cc}"<>\\^`{|}]/gu

function filledLink(key: string, template: string, context: JsonObject): string | undefined {
  const parts = splitLead(template)
  if (parts === null) return filledUrl(key, template, context)
  const address = fillPlaceholders(parts.lead, context).value.trim().replace(NO_ADDRESS, strictlyEncoded)
  if (address === '') return undefined
  const link = address + filledUrl(key, parts.rest, context)
  if (!/^https?:\/\//i.test(link) || !URL.canParse(link))
    throw new Problem(
      'bad_options',
      `${key}: ${parts.lead} must stand for an address that begins with https:// or http://.`,
    )
  return link
}

function filledPath(key: string, template: string, context: JsonObject): string {
  const path = fillPlaceholders(template, context).value
  const around = withStandIns(template)
  const isAbsolute = path.startsWith('/') && !around.startsWith('/')
  const goesBack = path.includes('\\') && !around.includes('\\')
  if (
    isAbsolute ||
    goesBack ||
    dotParts(path, /^\.\.?$/) > dotParts(around, /^\.\.?$/) ||
    (path.includes('\0') && !around.includes('\0'))
  )
    throw new Problem(
      'bad_options',
      `${key}: what its placeholders stand for may hold no "/" at the beginning, no "\\" and no "." or ".." as a folder.`,
    )
  return path
}

const BETWEEN_ADDRESSES = /[,;]/

function filledAddresses(key: string, template: string, context: JsonObject): string {
  for (const name of placeholdersIn(template))
    if (BETWEEN_ADDRESSES.test(fillPlaceholders(`{{${name}}}`, context).value))
      throw new Problem(
        'bad_options',
        `${key}: {{${name}}} must stand for one address, so without a comma or semicolon.`,
      )
  return fillPlaceholders(template, context).value
}

/** Whatever comes with a task, unless the configuration itself names more. */
const MOST_ADDRESSES = 10

/** `own`: the options of the configuration, before anything of a task was put among them. */
export function refuseCrowd(adapter: Adapter, own: readonly JsonObject[], options: JsonObject): void {
  for (const [key, schema] of Object.entries(adapter.options.properties)) {
    if ((schema as { placeholders?: Place }).placeholders !== 'addresses') continue
    const countIn = (given: JsonObject): number => {
      const text = given[key]
      return typeof text === 'string' ? text.split(BETWEEN_ADDRESSES).length : 0
    }
    const most = Math.max(MOST_ADDRESSES, ...own.map(countIn))
    if (countIn(options) > most)
      throw new Problem(
        'bad_options',
        `${key}: a task may bring ${most} addresses at most; the configuration may name more.`,
      )
  }
}

const pathOf = (url: string): string => url.replace(/[?#][\s\S]*/, '')

const dotParts = (path: string, dots: RegExp): number => path.split(/[/\\]/).filter(part => dots.test(part)).length

/** Every text in it by another one; keys stay. */
function mapped(values: JsonObject, map: (text: string) => string): JsonObject {
  const each = (value: Json): Json => {
    if (typeof value === 'string') return map(value)
    if (Array.isArray(value)) return value.map(each)
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, each(inner)]))
  }
  return each(values) as JsonObject
}
