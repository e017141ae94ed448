// Names the options of an entry in errors: by the field of the request that set them, and by the entry.
import { EACH, eachOf, type SortedExtras } from '#configurations/options.ts'
import type { Snapshot } from '#db/tables.ts'
import { type FieldError, Problem } from '#kit/errors.ts'

export interface EntryError extends FieldError {
  /** The field with the entry behind it, for sentences. */
  where: string
}

/** Of one entry: turns an error about an option, named from `extrasField` on, into one that names the entry too. */
export type InEntry = <E extends FieldError>(error: E) => E & EntryError

/**
 * `field` names the entry only where there are several: programs read `extras.method` of a single configuration. Entries count as in
 * the answers of the API, from 0.
 */
export function inEntry(
  { snapshot, extrasField }: { snapshot: Snapshot; extrasField: string },
  index: number,
  extras: SortedExtras,
): InEntry {
  const configuration = snapshot.entries[index]?.configuration ?? ''
  const own = eachOf(extras, configuration)?.options ?? {}
  const start = `${extrasField}.`
  return error => {
    const option = error.field.startsWith(start) ? error.field.slice(start.length) : ''
    const [key = ''] = option.split(/[.[]/, 1)
    const field = Object.hasOwn(own, key) ? `${start}${EACH}.${configuration}.${option}` : error.field
    const where = `${field} ${entryText(configuration, index)}`
    return { ...error, field: snapshot.entries.length > 1 ? where : field, where }
  }
}

export const entryText = (configuration: string, index: number): string => `(entry ${index}, "${configuration}")`

/** What a shared configuration says of an option that it keeps to itself. */
export const closedText = ({
  configuration,
  overridable = [],
}: {
  configuration: string
  overridable?: readonly string[]
}): string =>
  `can’t be changed here: "${configuration}" is shared and allows ${
    overridable.length === 0 ? 'no option to be' : `only ${overridable.join(', ')}`
  }`

export function refuse(errors: readonly (FieldError & { where?: string })[]): void {
  const distinct = [...new Map(errors.map(error => [`${error.field} ${error.message}`, error])).values()]
  const [first] = distinct
  if (!first) return
  throw new Problem('bad_extras', `${first.where ?? first.field} ${first.message}.`, {
    errors: distinct.map(({ where: _where, ...error }) => error),
  })
}
