// The names that a shared configuration delivers under: each holds its experience and its task, so no two ever meet.
import type { JsonObject } from '#kit/json.ts'
import type { Adapter } from './adapter.ts'
import { optionFor, valueFor } from './option-roles.ts'
import { placeholdersIn } from './placeholders.ts'

/** Which task a file is of. A destination takes these values from the task alone, never from extras. */
const identity = ['experience_id', 'task_id']

/** Puts what the name lacks in front of it, as folders. */
export function withOwnNames(adapter: Adapter, options: JsonObject): JsonObject {
  const option = optionFor(adapter, 'name')
  const name = option === null ? undefined : options[option]
  if (option === null || typeof name !== 'string') return options
  const there = placeholdersIn(`${valueFor(adapter, 'prefix', options) ?? ''}${name}`)
  const folders = identity.filter(each => !there.has(each)).map(each => `{{${each}}}/`)
  return { ...options, [option]: folders.join('') + name }
}
