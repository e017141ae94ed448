// Sample guests: names of every kind, put where a layout's placeholders wait for the guest's own.

import type { Json, JsonObject } from '../../api/shapes.ts'
import { isObject } from '../../form/json-text.ts'
import { t } from '../../words/t.ts'

export interface SampleGuest {
  key: string
  title: string
  first: string
  last: string
}

export const sampleGuests: readonly SampleGuest[] = [
  { key: 'usual', title: t('Usual: Anna Weber'), first: 'Anna', last: 'Weber' },
  { key: 'short', title: t('Short: Bo Li'), first: 'Bo', last: 'Li' },
  {
    key: 'long',
    title: t('Long: Bartholomäus Maximilian …'),
    first: 'Bartholomäus Maximilian',
    last: 'Freiherr von und zu Hohenstein-Schillingsfürst',
  },
  { key: 'emoji', title: t('Emoji: Zoë 🎉💛'), first: 'Zoë 🎉', last: '💛👩‍👩‍👧‍👦' },
  { key: 'rtl', title: t('Right to left: مريم عبد الرحمن'), first: 'مريم', last: 'عبد الرحمن' },
  { key: 'nobody', title: t('Nobody known'), first: '', last: '' },
]

/** Two braces, a name without braces, two braces; read once from left to right, as the service does. */
export function filled(text: string, wordFor: (name: string) => string): string {
  const pieces: string[] = []
  let told = 0
  for (let open = text.indexOf('{{'); open >= 0; ) {
    const start = open + 2
    let end = start
    while (end < text.length && text[end] !== '{' && text[end] !== '}') end++
    if (end > start && text.startsWith('}}', end)) {
      pieces.push(text.slice(told, open), wordFor(text.slice(start, end).trim()))
      told = end + 2
      open = text.indexOf('{{', told)
    } else open = text.indexOf('{{', Math.max(open + 1, end - 1))
  }
  return pieces.join('') + text.slice(told)
}

export function placeholdersOf(layers: readonly JsonObject[]): string[] {
  const names = new Set<string>()
  const note = (name: string) => {
    names.add(name)
    return ''
  }
  for (const layer of layers)
    for (const value of [layer.text, layer.data, layer.asset]) if (typeof value === 'string') filled(value, note)
  return [...names]
}

/** Known to the service itself, whoever the guest is. */
const ofTheService = new Set([
  'task_id',
  'chain_id',
  'configuration',
  'experience_id',
  'index',
  'ext',
  'now',
  'guest_url',
])

/** `a.b` finds a key of that very name first, then goes down step by step. */
export function lookUp(context: JsonObject, name: string): Json | undefined {
  if (Object.hasOwn(context, name)) return context[name]
  return name.split('.').reduce<Json | undefined>((here, part) => (isObject(here) ? here[part] : undefined), context)
}

function sampleFor(name: string, guest: SampleGuest): string {
  const word = name.toLowerCase()
  if (word.includes('first')) return guest.first
  if (word.includes('last') || word.includes('family')) return guest.last
  if (word.includes('mail')) return guest.first && 'guest@example.com'
  return `${guest.first} ${guest.last}`.trim()
}

/** What speaks of the guest, and what nothing else fills, is filled with the sample; the event's own words stay. */
export function contextOf(guest: SampleGuest | null, layers: readonly JsonObject[], context: JsonObject): JsonObject {
  if (!guest) return {}
  const result: JsonObject = {}
  for (const name of placeholdersOf(layers)) {
    const speaksOfGuest = /name|guest|profile\./i.test(name)
    if (ofTheService.has(name) || (!speaksOfGuest && lookUp(context, name) !== undefined)) continue
    // The whole name as one key: the service looks for that before it goes down step by step.
    result[name] = sampleFor(name, guest)
  }
  return result
}

/** The words as they will be, as far as this page knows. */
export const wordsOf = (text: string, context: JsonObject): string =>
  filled(text, name => {
    const value = lookUp(context, name)
    if (typeof value === 'string' || typeof value === 'number') return String(value)
    return ofTheService.has(name) ? name : ''
  })
