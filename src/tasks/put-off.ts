// Takes a task out of a worker's hands without ending it: until an entry may be tried again, or for another worker.
import { releaseTask, type Spent } from '#db/task-claims.ts'
import type { TaskRow } from '#db/tasks.ts'
import { failpoint } from '#kit/failpoint.ts'
import type { TaskLane } from '#queue/lanes.ts'
import type { TaskServices } from './services.ts'

/** The task goes on at `retryAt`; meanwhile it holds nobody up. */
export const putOff = (services: TaskServices, task: TaskRow, retryAt: Date, spent: Spent): Promise<void> =>
  release(services, task, spent, retryAt)

/** The task goes back into the queue, to be run by whoever is there. */
export const handBack = (services: TaskServices, task: TaskRow, spent: Spent): Promise<void> =>
  release(services, task, spent, undefined)

async function release({ db, queue }: TaskServices, task: TaskRow, spent: Spent, at: Date | undefined): Promise<void> {
  const lane = task.lane as TaskLane
  const ticket = await queue.turn(lane, task.experience_id)
  await db.transaction().execute(async trx => {
    const jobId = await queue.send(trx, { ...ticket, lane }, { task_id: task.task_id }, at)
    const released = await releaseTask(trx, task, jobId, spent)
    if (!released) await queue.discard(lane, jobId, trx)
    // It was told of the cancel too late to heed it; whoever takes the job ends the task.
    if (released?.cancelled) await queue.hurry(lane, jobId, trx)
    failpoint('release.before')
  })
  failpoint('release.after')
}
