// Brings back what a crash left behind: tasks of dead workers, tasks whose job vanished, callbacks that were forgotten.
import { overdueCallbacks } from '#db/callbacks.ts'
import { lockTask } from '#db/steer.ts'
import { setJob } from '#db/tasks.ts'
import { abandonedTasks, deadWorkers, forgetWorker, lostTasks, takeFromDead } from '#db/workers.ts'
import type { TaskLane } from '#queue/lanes.ts'
import type { TaskServices } from './services.ts'

/** Gives the tasks of dead workers to the living; answers how many. */
export async function recoverAbandoned({ db, queue, log }: TaskServices): Promise<number> {
  return db.transaction().execute(async trx => {
    for (const workerId of await deadWorkers(trx)) {
      log.warn({ worker_id: workerId }, 'a worker died')
      await forgetWorker(trx, workerId)
    }
    const tasks = await abandonedTasks(trx)
    for (const task of tasks) {
      const lane = task.lane as TaskLane
      const ticket = await queue.turn(lane, task.experience_id)
      await takeFromDead(trx, task.task_id, await queue.send(trx, { ...ticket, lane }, { task_id: task.task_id }))
      if (task.job_id) await queue.discard(lane, task.job_id, trx)
    }
    return tasks.length
  })
}

/** Puts tasks that lost their job, and callbacks that nobody attempts, back into the queue. */
export async function reconcile({ db, queue, log }: TaskServices): Promise<number> {
  const tasks = await lostTasks(db)
  for (const lost of tasks) {
    const lane = lost.lane as TaskLane
    const ticket = await queue.turn(lane, lost.experience_id)
    await db.transaction().execute(async trx => {
      const now = await lockTask(trx, lost.task_id)
      if (!now || now.lease !== lost.lease || now.job_id !== lost.job_id || now.worker_id !== null) return
      if (lost.job_id) await queue.discard(lane, lost.job_id, trx)
      await setJob(trx, lost.task_id, await queue.send(trx, { ...ticket, lane }, { task_id: lost.task_id }))
    })
  }
  const callbacks = await overdueCallbacks(db, 60)
  for (const { callback_id, receiver } of callbacks) {
    const ticket = await queue.turn('callback', receiver)
    await db.transaction().execute(trx => queue.send(trx, { ...ticket, lane: 'callback' }, { callback_id }))
  }
  if (tasks.length + callbacks.length > 0)
    log.warn({ tasks: tasks.length, callbacks: callbacks.length }, 'work without a job went back into the queue')
  return tasks.length + callbacks.length
}
