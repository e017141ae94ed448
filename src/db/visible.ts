// Which experiences a caller may see and use.
import { badField } from '#kit/errors.ts'

/** Null: all of them, and what belongs to none. */
export type Visible = readonly string[] | null

export const isVisible = (visible: Visible, experienceId: string | null): boolean =>
  visible === null || (experienceId !== null && visible.includes(experienceId))

/** For an experience named in a request: the answer is the same whether it exists or not. */
export function requireVisible(visible: Visible, experienceId: string, field = 'experience_id'): void {
  if (!isVisible(visible, experienceId))
    throw badField(field, `your token does not allow the experience "${experienceId}"`, 'forbidden')
}
