// How far behind each lane is, and whose work is looked at.
import type { Db } from '#db/database.ts'
import { lanePaces, waitingSince } from '#db/now/pace-rows.ts'
import type { TaskLane } from '#db/tables.ts'
import type { Visible } from '#db/visible.ts'

/** What a caller asks for: of one experience, or of all that it may see. Another's is like one that nobody uses. */
export const lookedAt = (visible: Visible, experienceId: string | undefined): Visible =>
  experienceId === undefined ? visible : visible === null || visible.includes(experienceId) ? [experienceId] : []

/** Without any measure a lane counts as stalled once something has waited for this long. */
const STALLED_SECONDS = 60

/** How long a task that came now would wait, from measured times: what waits, divided by what the lane gets done. */
export async function lanesBehind(db: Db, experiences: Visible, waiting: Record<TaskLane, number>) {
  const paces = await lanePaces(db, experiences)
  return Promise.all(
    paces.map(async ({ lane, held, seconds, ended }) => {
      const number = waiting[lane]
      // While little comes in, few tasks end although many could: then the time that one takes tells more.
      const perSecond = Math.max(ended / 60, seconds !== null && seconds > 0 ? held / seconds : 0)
      if (number === 0) return { lane, waiting: 0, seconds: 0, stalled: false }
      if (perSecond > 0) return { lane, waiting: number, seconds: Math.round(number / perSecond), stalled: false }
      const since = await waitingSince(db, experiences, lane)
      const age = since ? Math.max(0, Math.round((Date.now() - since.getTime()) / 1000)) : 0
      return { lane, waiting: number, seconds: age, stalled: age > STALLED_SECONDS }
    }),
  )
}
