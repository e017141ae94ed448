// Brings back what a crash left behind: work of dead workers, tasks whose job vanished, callbacks that were forgotten.
import { abandonedCallbacks, moveCallback, overdueCallbacks, type Stranded } from '#db/nouns/callback-rows.ts'
import { lockTask } from '#db/tasks/steer-rows.ts'
import { setJob } from '#db/tasks/task-claims.ts'
import {
  abandonedTasks,
  anyAbandoned,
  forgetWorker,
  parkedInVain,
  suspectWorkers,
  takeFromDead,
  tasksOf,
  type Unclaimed,
  unclaimedTasks,
} from '#db/tasks/workers.ts'
import { transact } from '#db/transact.ts'
import { failpoint } from '#kit/failpoint.ts'
import type { Ticket } from '#queue/queue.ts'
import { isGone } from '#storage/process-mark.ts'
import { handBack } from '../run/release.ts'
import type { TaskServices } from '../task-services.ts'

/** A worker that lives has shown itself by then, by whichever connection it has. */
const FREE_MS = 3_000

/** Seconds before a task is taken up again, by how often its worker had died already: it may be the task that they die of. */
const PAUSES = [0, 0, 2, 10, 60, 300]

/** Workers that look dead: since when, and when they were seen last. */
export type Suspects = Map<string, { since: number; seen: string }>

/** Gives the work of dead workers to the living; answers whether one was found. `suspects`: those of the last look. */
export async function recoverAbandoned(
  services: TaskServices & { workerId: string },
  suspects: Suspects,
): Promise<boolean> {
  const { db, log } = services
  const dead = await bury(services, suspects)
  for (const worker_id of dead) log.warn({ worker_id }, 'a worker died')
  if (dead.length === 0 && !(await anyAbandoned(db))) return false
  await takeOver(services)
  return dead.length > 0
}

/**
 * A free lock alone is no death: the server may have ended the connection that held it. A worker is dead when its process is seen to be gone, when
 * its lock stays free and nothing is seen of it for a while, or when it is silent for long.
 */
async function bury({ db, workerId }: TaskServices & { workerId: string }, suspects: Suspects): Promise<string[]> {
  return db.transaction().execute(async trx => {
    const found = await suspectWorkers(trx, workerId)
    const now = performance.now()
    const dead: string[] = []
    for (const { worker_id, mark, seen, silent } of found) {
      const before = suspects.get(worker_id)
      const since = before?.seen === seen ? before.since : now
      suspects.set(worker_id, { since, seen })
      if (silent || now - since >= FREE_MS || (mark !== null && (await isGone(mark)))) dead.push(worker_id)
    }
    for (const known of [...suspects.keys()])
      if (dead.includes(known) || !found.some(({ worker_id }) => worker_id === known)) suspects.delete(known)
    for (const worker_id of dead) await forgetWorker(trx, worker_id)
    return dead
  })
}

async function takeOver({ db, queue }: TaskServices): Promise<void> {
  // Turns are taken before: who holds a connection for a transaction asks for no other one, and locks no turn for long.
  const [tasks, callbacks] = await db
    .transaction()
    .execute(async trx => [await abandonedTasks(trx), await abandonedCallbacks(trx)] as const)
  const tickets = new Map<string, Ticket>()
  for (const { task_id, lane, experience_id } of tasks) tickets.set(task_id, await queue.turn(lane, experience_id))
  for (const { callback_id, receiver } of callbacks) tickets.set(callback_id, await queue.turn('callback', receiver))
  await db.transaction().execute(async trx => {
    for (const { task_id, job_id, ...task } of await abandonedTasks(trx)) {
      const lane = task.lane
      const ticket = tickets.get(task_id)
      // Whoever was left behind only now is found by the next look.
      if (!ticket) continue
      const pause = PAUSES[Math.min(task.rescues, PAUSES.length - 1)] as number
      const at = pause > 0 ? new Date(Date.now() + pause * 1000) : undefined
      await takeFromDead(trx, task_id, await queue.send(trx, { ...ticket, lane }, { task_id }, { at }))
      if (job_id) await queue.discard(lane, job_id, trx)
    }
    for (const callback of await abandonedCallbacks(trx)) {
      const { callback_id, job_id } = callback
      const ticket = tickets.get(callback_id)
      if (!ticket) continue
      await moveCallback(trx, callback, await queue.send(trx, { ...ticket, lane: 'callback' }, { callback_id }))
      if (job_id) await queue.discard('callback', job_id, trx)
    }
    failpoint('recover.before')
  })
  failpoint('recover.after')
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
    for (const [lane, some] of Map.groupBy(unclaimed, ({ lane }) => lane))
      found += await queue.restore(
        lane,
        some.flatMap(({ job_id, experience_id, task_id }) =>
          job_id === null ? [] : [{ id: job_id, share: experience_id, data: { task_id } }],
        ),
      )
    if (found > 0) failpoint('reconcile.after')
    const oldest = (await unclaimedTasks(db, null, OLDEST)).filter(({ status }) => status === 'Waiting')
    for (const task of oldest)
      if (task.job_id !== null && !(await queue.waits(task.lane, task.job_id))) found += await renew(task)
    for (const task of await parkedInVain(db, BATCH)) found += await renew(task)
    return found
  }

  /** Gives a task another job, unless it has got on meanwhile. */
  async function renew({ task_id, experience_id, job_id, ...task }: Unclaimed): Promise<number> {
    const lane = task.lane
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
