// Finds the configuration that is tried out, and for which experience: its own, or the one that is named for a shared one.
import type { Db } from '#db/database.ts'
import { type ConfigurationRow, configurationsBelow } from '#db/tasks/snapshots.ts'
import { isUsable, requireVisible, type Visible } from '#db/visible.ts'
import { badField, Problem } from '#kit/errors.ts'

export interface ForExperience {
  configuration: string
  /** Needed where the configuration is shared. */
  experienceId?: string | undefined
}

interface Usable {
  root: ConfigurationRow
  /** By name, with all that its chain names. */
  rows: ReadonlyMap<string, ConfigurationRow>
}

/** Throws `not_found` also for a configuration that the caller may not use. */
export async function readUsable(db: Db, configuration: string, visible: Visible): Promise<Usable> {
  const rows = await configurationsBelow(db, [configuration])
  const root = rows.get(configuration)
  if (!root || !isUsable(visible, root.experience_id))
    throw new Problem('not_found', `There is no configuration "${configuration}".`)
  return { root, rows }
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
