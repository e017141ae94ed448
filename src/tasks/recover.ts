// Brings back what a crash left behind: work of dead workers, tasks whose job vanished, callbacks that were forgotten.
import { setTimeout as sleep } from 'node:timers/promises'
import { abandonedCallbacks, lostCallbacks, moveCallback } from '#db/callbacks.ts'
import type { Trx } from '#db/database.ts'
import { lockTask } from '#db/steer.ts'
import { setJob } from '#db/task-claims.ts'
import {
  abandonedTasks,
  anyAbandoned,
  deadWorkers,
  forgetWorker,
  lostTasks,
  takeFromDead,
  tasksOf,
} from '#db/workers.ts'
import { failpoint } from '#kit/failpoint.ts'
import type { TaskLane } from '#queue/lanes.ts'
import { handBack } from './put-off.ts'
import type { TaskServices } from './services.ts'

/** A worker whose connection broke has taken its lock again by then. */
const SECOND_LOOK_MS = 500
/** From the moment a job is taken to the first sign that its work began, however busy the worker is. */
const BEGIN_SECONDS = 20
/** The same for most workers. Whoever needs longer loses a turn, but no work. */
export const BEGIN_SOON_SECONDS = 3

/** Seconds before a task is taken up again, by how often its worker had died already: it may be the task that they die of. */
const PAUSES = [0, 0, 2, 10, 60, 300]

/** Gives the work of dead workers to the living; answers whether one was found. */
export async function recoverAbandoned(services: TaskServices): Promise<boolean> {
  const { db, log } = services
  const suspects = await db.transaction().execute(deadWorkers)
  if (suspects.length > 0) await sleep(SECOND_LOOK_MS)
  else if (!(await anyAbandoned(db))) return false
  const dead = await db.transaction().execute(async trx => {
    const dead = (await deadWorkers(trx)).filter(workerId => suspects.includes(workerId))
    for (const workerId of dead) await forgetWorker(trx, workerId)
    await takeOver(services, trx)
    failpoint('recover.before')
    return dead
  })
  failpoint('recover.after')
  for (const worker_id of dead) log.warn({ worker_id }, 'a worker died')
  // It may have taken jobs and died before it began.
  if (dead.length > 0) await reconcile(services, 1)
  return dead.length > 0
}

async function takeOver({ queue }: TaskServices, trx: Trx): Promise<void> {
  for (const { task_id, experience_id, job_id, ...task } of await abandonedTasks(trx)) {
    const lane = task.lane as TaskLane
    const ticket = await queue.turn(lane, experience_id)
    const pause = PAUSES[Math.min(task.rescues, PAUSES.length - 1)] as number
    const at = pause > 0 ? new Date(Date.now() + pause * 1000) : undefined
    await takeFromDead(trx, task_id, await queue.send(trx, { ...ticket, lane }, { task_id }, at))
    if (job_id) await queue.discard(lane, job_id, trx)
  }
  for (const callback of await abandonedCallbacks(trx)) {
    const { callback_id, receiver, job_id } = callback
    const ticket = await queue.turn('callback', receiver)
    await moveCallback(trx, callback, await queue.send(trx, { ...ticket, lane: 'callback' }, { callback_id }))
    if (job_id) await queue.discard('callback', job_id, trx)
  }
}

/** Puts tasks that lost their job, and callbacks that nobody attempts, back into the queue. */
export async function reconcile(services: TaskServices, seconds = BEGIN_SECONDS): Promise<number> {
  const { db, queue, log } = services
  let found = 0
  for (const lost of await lostTasks(db, seconds)) {
    const lane = lost.lane as TaskLane
    const ticket = await queue.turn(lane, lost.experience_id)
    await db.transaction().execute(async trx => {
      const now = await lockTask(trx, lost.task_id)
      if (!now || now.job_id !== lost.job_id || now.worker_id !== null) return
      if (lost.job_id) await queue.discard(lane, lost.job_id, trx)
      await setJob(trx, lost.task_id, await queue.send(trx, { ...ticket, lane }, { task_id: lost.task_id }))
      found++
      failpoint('reconcile.before')
    })
    failpoint('reconcile.after')
  }
  for (const lost of await lostCallbacks(db, seconds)) {
    const ticket = await queue.turn('callback', lost.receiver)
    await db.transaction().execute(async trx => {
      const jobId = await queue.send(trx, { ...ticket, lane: 'callback' }, { callback_id: lost.callback_id })
      const spare = (await moveCallback(trx, lost, jobId)) ? lost.job_id : jobId
      if (spare) await queue.discard('callback', spare, trx)
      found++
    })
  }
  if (found > 0) log.warn({ found }, 'work without a job went back into the queue')
  return found
}

/** Hands back what this worker is said to run but doesn't: a failure must have come between. `runs`: what it does run. */
export async function recoverForgotten(
  services: TaskServices & { workerId: string },
  runs: (taskId: string) => boolean,
): Promise<void> {
  const tasks = await tasksOf(services.db, services.workerId)
  // Asked only now: whatever was finished since is fenced by its claim.
  for (const task of tasks.filter(({ task_id }) => !runs(task_id))) {
    services.log.warn({ task_id: task.task_id }, 'a task that nobody ran goes back into the queue')
    await handBack(services, task, { seconds: 0 })
  }
}
