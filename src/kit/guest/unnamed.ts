// Takes what a person is known by out of what stays: texts, numbers and keys. Pure.
import { isObject, type Json, type JsonObject } from '../json.ts'
import { MASK } from '../mask.ts'
import { folded, formsOf, LEAST_INSIDE, withoutForms } from './unnamed-text.ts'

/** The same value without the person; the very same one where they are not named. */
export type Unnamed = <T extends Json>(value: T) => T

/** A number of fewer digits may be a width, a port or a year. */
const LEAST_DIGITS = 6
/** More addresses than these are not taken from attributes. */
const MOST_ADDRESSES = 100
/** No mail address is longer. */
const LONGEST_ADDRESS = 320

/**
 * Masks these values wherever they are a text, a number or a key, or stand in one, in any case, also as a part of an address or of the name of
 * a file.
 */
export function unnaming(values: readonly string[]): Unnamed {
  const known = values.map(value => value.trim()).filter(Boolean)
  const whole = new Set(known.map(value => folded(value).normalize()))
  const long = known.filter(value => value.normalize().length >= LEAST_INSIDE)
  const forms = formsOf(long)
  // A receiver may read a code as a number, without the zeros in front.
  const numbers = new Set(long.filter(value => /^\d+$/.test(value)).map(Number))
  const leastNumber = 10 ** (LEAST_DIGITS - 1)

  const inText = (text: string): string => {
    const searched = folded(text)
    return whole.has(searched.trim().normalize()) ? MASK : withoutForms(text, searched, forms)
  }
  const inObject = (value: JsonObject): JsonObject => {
    const parts = Object.entries(value).map(([key, each]) => ({ key, each, name: inText(key), inner: inValue(each) }))
    if (parts.every(({ key, each, name, inner }) => key === name && each === inner)) return value
    const nameFor = newNames(parts.flatMap(({ key, name }) => (key === name ? [key] : [])))
    return Object.fromEntries(parts.map(({ key, name, inner }) => [key === name ? key : nameFor(name), inner]))
  }
  const inValue = (value: Json): Json => {
    if (typeof value === 'string') return inText(value)
    if (typeof value === 'number') return value >= leastNumber && numbers.has(value) ? MASK : value
    if (Array.isArray(value)) {
      const inner = value.map(inValue)
      return inner.some((each, at) => each !== value[at]) ? inner : value
    }
    return isObject(value) ? inObject(value as JsonObject) : value
  }
  return inValue as Unnamed
}

/** Keys that became the same are numbered, so that the value of each is kept. */
function newNames(taken: readonly string[]): (name: string) => string {
  const names = new Set(taken)
  const counts = new Map<string, number>()
  return name => {
    for (let count = (counts.get(name) ?? 0) + 1; ; count++) {
      const free = count === 1 ? name : `${name} (${count})`
      if (names.has(free)) continue
      names.add(free)
      counts.set(name, count)
      return free
    }
  }
}

/** Addresses and phone numbers among the attributes of a person: what deliveries are sent to, as it is written there and as it is sent. */
export const reachedAt = (attributes: Json): string[] =>
  textsIn(attributes)
    .map(addressesIn)
    .filter(addresses => addresses.length > 0)
    .take(MOST_ADDRESSES)
    .toArray()
    .flat()

function* textsIn(value: Json): Generator<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) yield* textsIn(each)
}

function addressesIn(attribute: string): string[] {
  const text = attribute.trim()
  if (text.length > LONGEST_ADDRESS) return []
  const number = text.replace(/[ ().-]/g, '')
  if (/^\+[1-9]\d{6,14}$/.test(number)) return [text, number, number.slice(1)]
  return text.indexOf('@') > 0 && !/\s/.test(text) ? [text] : []
}
