// Reads a time of a request, as far as the database can hold it.
import { badField } from '#kit/errors.ts'

/** The schema has checked the form; a leap second and the years before 1970 are left. */
export function readTime(field: string, text: string): Date {
  const time = new Date(text)
  if (!(time.getTime() >= 0)) throw badField(field, 'must be a time since 1970, like 2026-11-15T08:00:00Z')
  return time
}
