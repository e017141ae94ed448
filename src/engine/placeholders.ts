// Fills {{placeholders}} in option texts: plain text in, plain text out, never code.
import { Problem } from '#kit/errors.ts'
import { isObject, type Json, type JsonObject, own } from '#kit/json.ts'

/** All texts of one set of options together, with their placeholders filled in. */
const MOST_CHARACTERS = 2_000_000

interface Filled<T> {
  value: T
  /** Placeholders that no value was known for; they became empty. */
  missing: string[]
  /** Placeholders that stand for more than a text; they became empty too. */
  objects: string[]
}

export function fillPlaceholders<T extends Json>(value: T, known: JsonObject): Filled<T> {
  const missing = new Set<string>()
  const objects = new Set<string>()
  const texts = new Map<string, string>()
  let room = MOST_CHARACTERS
  const textOf = (name: string): string => {
    const found = lookUp(known, name)
    if (found === undefined || found === null) missing.add(name)
    else if (holdsObject(found)) objects.add(name)
    return asText(found)
  }
  const fillName = (name: string): string => {
    const text = texts.get(name) ?? textOf(name)
    texts.set(name, text)
    // A long value that is named often would grow beyond all memory.
    room -= text.length
    if (room < 0)
      throw new Problem(
        'bad_options',
        `The texts would be longer than ${MOST_CHARACTERS} characters with their placeholders filled in.`,
      )
    return text
  }
  const fill = (inner: Json): Json => {
    if (typeof inner === 'string') return replaced(inner, fillName)
    if (Array.isArray(inner)) return inner.map(fill)
    if (isObject(inner))
      return Object.fromEntries(Object.entries(inner).map(([key, item]) => [key, fill(item as Json)]))
    return inner
  }
  return { value: fill(value) as T, missing: [...missing], objects: [...objects] }
}

/** The names that stand in it. */
export function placeholdersIn(text: string): Set<string> {
  const names = new Set<string>()
  replaced(text, name => {
    names.add(name)
    return ''
  })
  return names
}

/** What these placeholders stand for, by their names: put among the values, they stand for the same later. Null: nothing is known. */
export const valuesFor = (names: readonly string[], known: JsonObject): JsonObject =>
  Object.fromEntries(names.map(name => [name, withoutInside(lookUp(known, name) ?? null)]))

/** No text comes from the inside of an object. */
function withoutInside(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutInside)
  return isObject(value) ? {} : value
}

/** It stands for more than a text. */
const holdsObject = (value: Json): boolean => [value].flat().some(isObject)

/** Plain text in the place of every placeholder, to judge what is written around them. */
export const withStandIns = (text: string): string => replaced(text, () => 'x')

/** The placeholder that a text begins with, and what stands behind it; null where it begins otherwise. */
export function splitLead(text: string): { lead: string; rest: string } | null {
  const end = text.indexOf('}}') + 2
  const lead = text.slice(0, end)
  return text.startsWith('{{') && withStandIns(lead) === 'x' ? { lead, rest: text.slice(end) } : null
}

/**
 * Two braces, a name without braces, two braces. Read once from left to right: a pattern for it would try every way to
 * share out the blanks around the name.
 */
function replaced(text: string, textFor: (name: string) => string): string {
  const pieces: string[] = []
  let told = 0
  for (let open = text.indexOf('{{'); open >= 0; ) {
    const start = open + 2
    let end = start
    while (end < text.length && text[end] !== '{' && text[end] !== '}') end++
    if (end > start && text.startsWith('}}', end)) {
      pieces.push(text.slice(told, open), textFor(text.slice(start, end).trim() || ' '))
      told = end + 2
      open = text.indexOf('{{', told)
    } else open = text.indexOf('{{', Math.max(open + 1, end - 1))
  }
  return told === 0 ? text : pieces.join('') + text.slice(told)
}

/** `a.b` finds a key of that very name first, then goes down step by step. */
function lookUp(known: JsonObject, name: string): Json | undefined {
  if (Object.hasOwn(known, name)) return known[name]
  let here: Json | undefined = known
  for (const part of name.split('.')) {
    if (!isObject(here)) return undefined
    here = own(here as JsonObject, part)
  }
  return here
}

function asText(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.map(asText).join(', ')
  return typeof value === 'object' ? '' : String(value)
}
