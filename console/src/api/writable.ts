// What of a configuration is written, and whether two say the same.
import type { Configuration } from './shapes.ts'

const told = ['kind', 'created_at', 'updated_at'] as const

/** Only what may be written: kind and times come from the service. A null experience stays: it says that all may use it. */
export const writable = (configuration: Configuration): Configuration =>
  Object.fromEntries(
    Object.entries(configuration).filter(
      ([name, value]) =>
        !told.includes(name as (typeof told)[number]) &&
        value !== undefined &&
        (value !== null || name === 'experience_id'),
    ),
  ) as unknown as Configuration

/** Whether the service has this already. Credentials that were typed can't be compared: they are never given out. */
export const isSame = (stored: Configuration, body: Configuration): boolean =>
  stableText(writable(stored)) === stableText(writable(body))

const stableText = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    inner && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
