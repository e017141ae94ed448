// Reading activities, as far as the caller may see them.

import type { Queries } from '#db/database.ts'
import { type ActivityRow, findActivity } from '#db/nouns/activity-rows.ts'
import type { Visible } from '#db/visible.ts'
import { Problem } from '#kit/errors.ts'
import { isId } from '#kit/ids.ts'

export { type ActivityRow, listActivities } from '#db/nouns/activity-rows.ts'

export async function readActivity(db: Queries, visible: Visible, id: string): Promise<ActivityRow> {
  const row = isId(id) ? await findActivity(db, visible, id) : undefined
  if (!row) throw new Problem('not_found', `There is no activity "${id}".`)
  return row
}
