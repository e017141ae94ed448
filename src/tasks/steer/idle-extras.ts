// Warns of new extras of a retry that are for entries which keep what they made.
import { isDeepStrictEqual } from 'node:util'
import { extrasFor, mergeOptions, type SortedExtras } from '#configurations/options.ts'
import type { Snapshot } from '#db/tables.ts'
import { type Adapter, overridable } from '#engine/adapter.ts'
import { isObject, type JsonObject } from '#kit/json.ts'
import { someOf } from '#kit/text.ts'
import { entryText } from '../accept/entry-errors.ts'
import type { TaskServices } from '../task-services.ts'

interface ExtrasChange {
  before: SortedExtras
  now: SortedExtras
  /** The request's field with the new ones. */
  extrasField: string
}

/** `kept`: the entries that do not run again. */
export function idleExtras(
  { adapters }: Pick<TaskServices, 'adapters'>,
  { entries }: Snapshot,
  kept: ReadonlySet<number>,
  { before, now, extrasField }: ExtrasChange,
): string[] {
  const sentences = entries.flatMap((config, index) => {
    const adapter = kept.has(index) ? adapters.get(config.adapter_name) : undefined
    if (!adapter) return []
    const [old, fresh] = [before, now].map(extras =>
      seenBy(adapter, config.defaults, extrasFor(extras, config, adapter)),
    )
    const keys = [...new Set([...Object.keys(old ?? {}), ...Object.keys(fresh ?? {})])]
    const changed = keys.filter(key => !isDeepStrictEqual(old?.[key], fresh?.[key])).sort()
    if (changed.length === 0) return []
    const where = entryText(config.configuration, index)
    return [
      `The new ${extrasField} change ${changed.join(', ')} ${where}, but that entry had succeeded and keeps what it made; send a new task to change it.`,
    ]
  })
  return someOf(sentences)
}

/** All that an entry would be made from, as far as extras decide it. */
function seenBy(adapter: Adapter, defaults: JsonObject, extras: SortedExtras): Record<string, unknown> {
  const options = mergeOptions(adapter, defaults, extras)
  const parameters = new Set(overridable(adapter, options))
  const outputs = [...extras.overrides].filter(([parameter]) => parameters.has(parameter))
  return {
    ...options,
    ...Object.fromEntries(outputs.map(([parameter, names]) => [`${parameter}_override`, names])),
    ...(hasPlaceholders(options) && { additional_context: extras.context }),
  }
}

/** Placeholders are filled with what the context says, so it decides how such an entry looks. */
const hasPlaceholders = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.includes('{{')
    : Array.isArray(value)
      ? value.some(hasPlaceholders)
      : isObject(value) && Object.values(value).some(hasPlaceholders)
