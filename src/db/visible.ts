// The experiences that a caller may see and use.
import { type RawBuilder, sql } from 'kysely'
import { badField, Problem } from '#kit/errors.ts'

/** Null: all of them, and rows that belong to none. */
export type Visible = readonly string[] | null

export const isVisible = (visible: Visible, experienceId: string | null): boolean =>
  visible === null || (experienceId !== null && visible.includes(experienceId))

/** The same as a condition on a column. A foreign row is not read at all, so the response takes no longer than for a missing one. */
export const isSeen = (visible: Visible, column = 'experience_id'): RawBuilder<boolean> =>
  visible === null ? sql`true` : sql`${sql.ref(column)} = any(${[...visible]}::text[])`

/** Rows the caller may not see: of other experiences, or of none. */
export const isUnseen = (visible: Visible, column = 'experience_id'): RawBuilder<boolean> =>
  sql`${isSeen(visible, column)} is not true`

/** For an experience named in a request: the error is the same whether it exists or not. */
export function requireVisible(visible: Visible, experienceId: string, field = 'experience_id'): void {
  if (!isVisible(visible, experienceId))
    throw badField(field, `your token does not allow the experience "${experienceId}"`, 'forbidden')
}

/** A foreign row gives the same error as a missing one. */
export function found<T>(row: T | undefined, noun: string, id: string): T {
  if (row === undefined) throw new Problem('not_found', `There is no ${noun} "${id}".`)
  return row
}
