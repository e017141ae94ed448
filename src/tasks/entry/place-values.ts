// Tells what the place of a delivery takes from its guests: that is fixed before the first attempt, so that all go to one place.
import type { Adapter } from '#engine/adapter.ts'
import { optionsFor } from '#engine/option-roles.ts'
import { placeholdersIn, valuesFor } from '#engine/placeholders.ts'
import type { Json, JsonObject } from '#kit/json.ts'

/** Values that may be others at the next attempt: a profile is changed, or a guest gets one. All others are those of the task. */
const ofGuests = new Set(['profile', 'guest_count', 'guest_url'])

interface Split {
  /** The options that say where a delivery goes. */
  place: JsonObject
  others: JsonObject
}

export function splitPlace(adapter: Adapter, options: JsonObject): Split {
  const names = new Set(optionsFor(adapter, ['place', 'prefix', 'name']))
  const part = (isPlace: boolean): JsonObject =>
    Object.fromEntries(Object.entries(options).filter(([name]) => names.has(name) === isPlace))
  return { place: part(true), others: part(false) }
}

/** What the guests’ placeholders in these options stand for now; null where there are none. */
export function placeValues(place: JsonObject, known: JsonObject): JsonObject | null {
  const names = textsIn(place)
    .flatMap(text => [...placeholdersIn(text)])
    .filter(name => ofGuests.has(name.split('.')[0] as string))
  return names.length === 0 ? null : valuesFor(names, known)
}

function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
