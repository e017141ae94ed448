// Identifiers: time-ordered UUIDs made here, never by the database.
import { randomUUIDv7 } from 'node:crypto'

export const newId = (): string => randomUUIDv7()

/** When an id of ours was made. */
export const timeOf = (id: string): Date => new Date(Number.parseInt(id.replace('-', '').slice(0, 12), 16))

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const isId = (value: string): boolean => uuid.test(value)

/** Before every id. */
export const NIL = '00000000-0000-0000-0000-000000000000'
