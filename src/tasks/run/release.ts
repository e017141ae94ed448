// Takes a task out of a worker's hands without ending it: until an entry may be tried again, or for another worker.

import type { TaskLane } from '#db/tables.ts'
import { type Claimed, releaseTask, type Spent } from '#db/tasks/task-claims.ts'
import type { TaskRow, WholeTask } from '#db/tasks/task-rows.ts'
import { transact } from '#db/transact.ts'
import { failpoint } from '#kit/failpoint.ts'
import { wakeSibling } from '../end/wake-sibling.ts'
import { shareWith } from '../entry/fleet.ts'
import type { RunServices } from '../entry/loaded.ts'
import { mediaLane, type Needs } from '../lane.ts'
import type { TaskServices } from '../task-services.ts'
import type { Retry } from './outcome.ts'

/** The task goes on later, in another lane or in another worker. It keeps no place in the meantime. */
export function putOff(services: RunServices, task: Claimed, retry: Retry, spent: Spent): Promise<void> {
  const { at, needs, lacking } = retry
  const share = lacking && shareWith(task.experience_id, lacking)
  if (share) services.fleet.leave(share, lacking)
  const due = at.getTime() > Date.now() ? at : undefined
  return release(services, task, laneOf(services, task, needs), spent, due, share)
}

/** The task goes back into its lane; any worker may take it. */
export const handBack = (services: TaskServices, task: TaskRow, spent: Spent): Promise<void> =>
  release(services, task, task.lane, spent, undefined)

function laneOf({ adapters }: TaskServices, task: WholeTask, needs: Needs | null): TaskLane {
  if (needs === null) return task.lane
  return needs === 'transfer'
    ? 'transfer'
    : mediaLane(
        adapters,
        task.chains.flatMap(({ entries }) => entries),
      )
}

async function release(
  services: TaskServices,
  task: TaskRow & Partial<Pick<Claimed, 'counted'>>,
  lane: TaskLane,
  spent: Spent,
  at: Date | undefined,
  share = task.experience_id,
): Promise<void> {
  const { db, queue } = services
  const ticket = { ...(await queue.takeTicket(lane, task.experience_id)), share }
  await transact(db, async trx => {
    const released = await releaseTask(trx, task, { lane, jobId: ticket.id }, spent)
    if (!released) return
    // The cancel came too late for this worker. The job is due at once, and the worker that takes it ends the task.
    const isNews = released.cancelled && !task.cancel_requested
    await queue.send(trx, ticket, { task_id: task.task_id }, isNews ? {} : { at })
    if (at && task.counted) await wakeSibling(services, trx, task.experience_id)
    failpoint('release.before')
  })
  failpoint('release.after')
}
