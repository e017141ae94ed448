// What an event of the audit changed, field by field, in few words.

import type { AuditEvent } from '../api/audit.ts'
import type { Json, JsonObject } from '../api/shapes.ts'
import { t } from '../words/t.ts'

export interface FieldChange {
  /** The path of the field, as the API names it. */
  field: string
  /** Null: it was not there. */
  before: string | null
  after: string | null
}

/** Times and tags change with every write; the event has its own time. */
const SILENT = new Set(['updated_at', 'created_at', 'etag'])
const MOST_DEEP = 4
const LONGEST = 160

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The audit keeps of a very long field only how long it was. */
function isLeftOut(value: Json | undefined): boolean {
  return isObject(value) && Object.keys(value).join() === 'left_out_characters'
}

export function say(value: Json | undefined): string | null {
  if (value === undefined) return null
  if (isLeftOut(value)) return t('too long to be kept')
  if (value === null) return t('none')
  if (value === '') return t('empty')
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

function compare(path: string, before: Json | undefined, after: Json | undefined, deep: number): FieldChange[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  const isLeaf = deep === MOST_DEEP || !isObject(before) || !isObject(after) || isLeftOut(before) || isLeftOut(after)
  if (isLeaf) return [{ field: path, before: say(before), after: say(after) }]
  return namesOf(before, after).flatMap(name => compare(`${path}.${name}`, before[name], after[name], deep + 1))
}

const namesOf = (before: JsonObject, after: JsonObject): string[] => [
  ...new Set([...Object.keys(before), ...Object.keys(after)]),
]

/** Nothing for what was made or deleted: then the whole thing is the change. */
export function changesOf({ before, after }: Pick<AuditEvent, 'before' | 'after'>): FieldChange[] {
  if (!before || !after) return []
  return namesOf(before, after)
    .filter(name => !SILENT.has(name))
    .flatMap(name => compare(name, before[name], after[name], 0))
}
