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

/**
 * `part` for all, or once for each id: PostgreSQL knows how common each id is, and picks the right index for it. `rest` orders and
 * limits the whole. Two parts without a row are in front, so that it is a union also for nobody's experiences.
 */
export function newestOf(
  visible: Visible,
  part: (of: RawBuilder<unknown>) => RawBuilder<unknown>,
  rest: RawBuilder<unknown>,
): RawBuilder<unknown> {
  if (visible === null) return part(sql`true`)
  const parts = [part(sql`false`), part(sql`false`), ...visible.map(id => part(sql`experience_id = ${id}`))]
  return sql`${sql.join(parts, sql` union all `)} ${rest}`
}

/** Also what belongs to no experience, where that means that it is shared by all. */
export const isUsable = (visible: Visible, experienceId: string | null): boolean =>
  experienceId === null || isVisible(visible, experienceId)

/** The same as a condition on a column. */
export const mayBeUsed = (visible: Visible, column = 'experience_id'): RawBuilder<boolean> =>
  visible === null ? sql`true` : sql`(${isSeen(visible, column)} or ${sql.ref(column)} is null)`

/** Throws unless the caller may look inside of it and change it: what is shared is the operator's. */
export function requireWhole(visible: Visible, experienceId: string | null, noun: string, name: string): void {
  if (experienceId === null && visible !== null)
    throw new Problem(
      'forbidden',
      `The ${noun} "${name}" is shared by all experiences: your token may use it, but only one that is not limited to experiences sees all of it and changes it.`,
    )
}

/** Rows the caller may not see: of other experiences, or of none. */
export const isUnseen = (visible: Visible, column = 'experience_id'): RawBuilder<boolean> =>
  sql`${isSeen(visible, column)} is not true`

/** For an experience named in a request: the error is the same whether it exists or not. */
export function requireVisible(visible: Visible, experienceId: string | null, field = 'experience_id'): void {
  if (experienceId === null && visible !== null)
    throw badField(
      field,
      `null would share it with all experiences; your token is limited to ${visible.join(', ')}`,
      'forbidden',
    )
  if (!isVisible(visible, experienceId))
    throw badField(field, `your token does not allow the experience "${experienceId}"`, 'forbidden')
}

/** A foreign row gives the same error as a missing one. */
export function requireFound<T>(row: T | undefined, noun: string, id: string): T {
  if (row === undefined) throw new Problem('not_found', `There is no ${noun} "${id}".`)
  return row
}
