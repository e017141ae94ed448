// Finds what the service said of a field: it names each by its whole path (`adapter_config.defaults.layers[0].x`).
import type { FieldError, Json } from '../api/shapes.ts'
import { isObject } from './json-text.ts'

const dotted = (path: string): string => path.replaceAll('[', '.').replaceAll(']', '')

/** The message for a field, or for a part inside it; `path` may leave out the beginning. */
export function messageAt(errors: FieldError[], path: string): string | undefined {
  const wanted = `.${dotted(path)}.`
  const found = errors.find(({ field }) => `.${dotted(field)}.`.includes(wanted))
  if (!found) return undefined
  const [, rest = ''] = `.${dotted(found.field)}.`.split(wanted)
  return rest ? `${rest.slice(0, -1)}: ${found.message}` : found.message
}

/** The value that the service names as `adapter_config.defaults.layers[0].x`. */
export function valueAt(value: Json, field: string): Json | undefined {
  return dotted(field)
    .split('.')
    .reduce<Json | undefined>((inner, key) => {
      if (Array.isArray(inner)) return inner[Number(key)]
      return isObject(inner) ? inner[key] : undefined
    }, value)
}

/** What is still empty is not wrong yet: that is said when somebody saves. */
export const isEmpty = (value: Json | undefined): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
