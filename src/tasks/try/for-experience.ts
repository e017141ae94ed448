// For which experience a configuration is tried out: its own, or the one that is named for a shared one.
import { requireVisible, type Visible } from '#db/visible.ts'
import { badField } from '#kit/errors.ts'

export interface ForExperience {
  configuration: string
  /** Needed where the configuration is shared. */
  experienceId?: string | undefined
}

export function experienceFor(
  { configuration_name, experience_id }: { configuration_name: string; experience_id: string | null },
  named: string | undefined,
  visible: Visible,
): string {
  if (named !== undefined) requireVisible(visible, named)
  if (experience_id === null && named === undefined)
    throw badField('experience_id', `is required: "${configuration_name}" is shared, so say for which experience`)
  if (experience_id !== null && named !== undefined && named !== experience_id)
    throw badField('experience_id', `is "${named}", but "${configuration_name}" belongs to "${experience_id}"`)
  return (experience_id ?? named) as string
}
