// Cancels all tasks that a filter finds, runs them again, or tries now what was put off.
import type { TaskOwner } from '#access/limits.ts'
import type { TaskStatus } from '#db/tables.ts'
import { requestCancels } from '#db/tasks/steer-rows.ts'
import { listTaskIds, type ManyFilters } from '#db/tasks/task-lists.ts'
import { transact } from '#db/transact.ts'
import type { Visible } from '#db/visible.ts'
import type { TaskServices } from '../task-services.ts'
import { type Bulk, MOST } from './bulk.ts'
import { cancelTask, endSoon, retryTask } from './steer.ts'
import { tryTaskNow } from './wake.ts'

/** The states that each way to steer is for; others are skipped. */
const suitable: Record<Steering, readonly TaskStatus[]> = {
  retry: ['Failed', 'Cancelled'],
  cancel: ['Waiting', 'Running'],
  'try-now': ['Running'],
}

export type Steering = 'retry' | 'cancel' | 'try-now'

interface Many {
  steering: Steering
  isGroup: boolean
  filters: ManyFilters
  visible: Visible
}

export const tasksToSteer = (
  { db }: Pick<TaskServices, 'db'>,
  { steering, isGroup, filters, visible }: Many,
): Promise<string[]> =>
  listTaskIds(db, visible, isGroup, filters, {
    states: suitable[steering],
    most: MOST,
    putOff: steering === 'try-now',
  })

/** A request to cancel is noted for all of them in one go before each is ended: what nobody runs yet does not begin any more. */
const NOTED_AT_ONCE = 500

export async function steerMany(
  services: TaskServices & { bulk: Bulk },
  steering: Steering,
  ids: readonly string[],
  by: { token: string; owner: TaskOwner },
): Promise<void> {
  const { bulk, db } = services
  const work = { what: `${steering} of tasks`, owner: by.token }
  if (steering === 'retry') {
    const again = (id: string) => retryTask(services, id, { replacements: new Map() }, by.owner)
    await bulk.run({ ...work, items: ids, each: again, fills: true })
    return
  }
  if (steering === 'try-now') {
    await bulk.run({ ...work, items: ids, each: id => tryTaskNow(services, id) })
    return
  }
  const batches = Array.from({ length: Math.ceil(ids.length / NOTED_AT_ONCE) }, (_, at) =>
    ids.slice(at * NOTED_AT_ONCE, (at + 1) * NOTED_AT_ONCE),
  )
  for (const batch of batches) await transact(db, async trx => endSoon(services, trx, await requestCancels(trx, batch)))
  await bulk.run({ ...work, items: ids, each: id => cancelTask(services, id) })
}
