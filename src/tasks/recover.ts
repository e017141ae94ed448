// Brings back what a crash left behind: work of dead workers, tasks whose job vanished, callbacks that were forgotten.
import { setTimeout as sleep } from 'node:timers/promises'
import { abandonedCallbacks, moveCallback, overdueCallbacks, type Stranded } from '#db/callbacks.ts'
import type { Trx } from '#db/database.ts'
import { lockTask } from '#db/steer.ts'
import { setJob } from '#db/task-claims.ts'
import { transact } from '#db/transact.ts'
import {
  abandonedTasks,
  anyAbandoned,
  deadWorkers,
  forgetWorker,
  parkedInVain,
  takeFromDead,
  tasksOf,
  type Unclaimed,
  unclaimedTasks,
} from '#db/workers.ts'
import { failpoint } from '#kit/failpoint.ts'
import type { TaskLane } from '#queue/lanes.ts'
import { handBack } from './put-off.ts'
import type { TaskServices } from './services.ts'

/** A worker whose connection broke has taken its lock again by then. */
const SECOND_LOOK_MS = 500

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

/** Looked at in one round: whether their jobs are there at all, and of the oldest whether they can be taken. */
const BATCH = 500
const OLDEST = 20
/** However busy the workers are, a callback that is due for so long may have been forgotten. */
const OVERDUE_SECONDS = 20

/**
 * Makes jobs anew that vanished, for whatever reason: a job leaves the queue only together with the claim of what it stands for. Each round
 * goes on where the last one ended.
 */
export function newReconciler(services: TaskServices): () => Promise<number> {
  const { db, queue, log } = services
  let after: string | null = null

  async function tasks(): Promise<number> {
    const unclaimed = await unclaimedTasks(db, after, BATCH)
    after = unclaimed.length < BATCH ? null : (unclaimed.at(-1)?.task_id ?? null)
    let found = 0
    if (unclaimed.length > 0) failpoint('reconcile.before')
    for (const [lane, some] of Map.groupBy(unclaimed, ({ lane }) => lane as TaskLane))
      found += await queue.restore(
        lane,
        some.flatMap(({ job_id, experience_id, task_id }) =>
          job_id === null ? [] : [{ id: job_id, share: experience_id, data: { task_id } }],
        ),
      )
    if (found > 0) failpoint('reconcile.after')
    const oldest = (await unclaimedTasks(db, null, OLDEST)).filter(({ status }) => status === 'Waiting')
    for (const task of oldest)
      if (task.job_id !== null && !(await queue.waits(task.lane as TaskLane, task.job_id))) found += await renew(task)
    for (const task of await parkedInVain(db, BATCH)) found += await renew(task)
    return found
  }

  /** Gives a task another job, unless it has got on meanwhile. */
  async function renew({ task_id, experience_id, job_id, ...task }: Unclaimed): Promise<number> {
    const lane = task.lane as TaskLane
    const ticket = await queue.turn(lane, experience_id)
    return transact(db, async trx => {
      const now = await lockTask(trx, task_id)
      if (!now || now.ended_at !== null || now.job_id !== job_id || now.worker_id !== null) return 0
      if (job_id) await queue.discard(lane, job_id, trx)
      await setJob(trx, task_id, await queue.send(trx, { ...ticket, lane }, { task_id }))
      return 1
    })
  }

  async function callbacks(): Promise<number> {
    const overdue = await overdueCallbacks(db, OVERDUE_SECONDS, BATCH)
    const waiting = overdue.flatMap(({ callback_id, receiver, job_id, worker_id }) =>
      job_id === null || worker_id !== null ? [] : [{ id: job_id, share: receiver, data: { callback_id } }],
    )
    let found = await queue.restore('callback', waiting)
    for (const [index, callback] of overdue.entries()) {
      const { job_id, worker_id } = callback
      const isLeft = worker_id !== null || job_id === null
      if (isLeft || (index < OLDEST && !(await queue.waits('callback', job_id)))) found += await move(callback)
    }
    return found
  }

  async function move(callback: Stranded): Promise<number> {
    const ticket = await queue.turn('callback', callback.receiver)
    return transact(db, async trx => {
      if (!(await moveCallback(trx, callback, ticket.id))) return 0
      if (callback.job_id) await queue.discard('callback', callback.job_id, trx)
      await queue.send(trx, { ...ticket, lane: 'callback' }, { callback_id: callback.callback_id })
      return 1
    })
  }

  return async () => {
    const found = (await tasks()) + (await callbacks())
    if (found > 0) log.warn({ found }, 'work without a job went back into the queue')
    return found
  }
}

/** Hands back what this worker is said to run but doesn't, in two looks on end: an answer must have been lost. `runs`: what it does run. */
export function newForgotten(
  services: TaskServices & { workerId: string },
  runs: (taskId: string) => boolean,
): () => Promise<void> {
  let suspects = new Set<string | null>()
  return async () => {
    const tasks = await tasksOf(services.db, services.workerId)
    // Asked only now: whatever was finished since is fenced by its claim.
    const idle = tasks.filter(({ task_id }) => !runs(task_id))
    for (const task of idle.filter(({ claim }) => suspects.has(claim))) {
      services.log.warn({ task_id: task.task_id }, 'a task that nobody ran goes back into the queue')
      await handBack(services, task, { seconds: 0 })
    }
    suspects = new Set(idle.map(({ claim }) => claim))
  }
}
