// Recovers what a crash left behind: work of dead workers, tasks whose job vanished, forgotten callbacks.
import {
  abandonedCallbacks,
  moveCallback,
  type Overdue,
  overdueCallbacks,
  type Stranded,
} from '#db/nouns/callback-rows.ts'
import type { TaskLane } from '#db/tables.ts'
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

/** A live worker has shown itself within this time, through whichever connection it has. */
const FREE_MS = 3_000

/** Seconds before a task is taken up again, by how many workers died while they ran it: the task may be the cause. */
const PAUSES = [0, 0, 2, 10, 60, 300]

/** Workers that look dead: since when, and when they were last seen. */
export type Suspects = Map<string, { since: number; seen: string }>

/** Moves the work of dead workers to live ones. Returns whether a dead worker was found. `suspects`: kept from call to call. */
export async function recoverAbandoned(
  services: TaskServices & { workerId: string },
  suspects: Suspects,
): Promise<boolean> {
  const { db, log } = services
  const { dead, lost } = await removeDeadWorkers(services, suspects)
  for (const worker_id of dead) log.warn({ worker_id }, 'a worker died')
  if (dead.length + lost.length === 0 && !(await anyAbandoned(db))) return false
  await takeOver(services, lost)
  return dead.length > 0
}

/**
 * A free lock alone does not prove a death: the server may have ended the connection that held it. A worker is dead when its process
 * is gone, when its lock stays free for a while and nothing is seen of it, or when it is silent for long. It may live all the same, and only its
 * way to the database be cut: one that may be sending is lost until it is silent for long, and keeps what it may be sending.
 */
async function removeDeadWorkers(
  { db, workerId }: TaskServices & { workerId: string },
  suspects: Suspects,
): Promise<{ dead: string[]; lost: string[] }> {
  return db.transaction().execute(async trx => {
    const found = await suspectWorkers(trx, workerId)
    const now = performance.now()
    const dead: string[] = []
    const lost: string[] = []
    for (const { worker_id, mark, seen, silent, sends } of found) {
      const before = suspects.get(worker_id)
      const since = before?.seen === seen ? before.since : now
      suspects.set(worker_id, { since, seen })
      const isFree = now - since >= FREE_MS
      if (silent || (isFree && !sends) || (mark !== null && (await isGone(mark)))) dead.push(worker_id)
      else if (isFree) lost.push(worker_id)
    }
    for (const known of [...suspects.keys()])
      if (dead.includes(known) || !found.some(({ worker_id }) => worker_id === known)) suspects.delete(known)
    for (const worker_id of dead) await forgetWorker(trx, worker_id)
    return { dead, lost }
  })
}

async function takeOver({ db, queue }: TaskServices, lost: readonly string[]): Promise<void> {
  // Turns are taken before the transaction: inside it, a turn would need a second connection, or stay locked until the commit.
  const [tasks, callbacks] = await db
    .transaction()
    .execute(async trx => [await abandonedTasks(trx, lost), await abandonedCallbacks(trx, lost)] as const)
  const tasksTurns = new Map<string, Ticket<TaskLane>>()
  for (const { task_id, lane, experience_id } of tasks)
    tasksTurns.set(task_id, await queue.takeTicket(lane, experience_id))
  const callbacksTurns = new Map<string, Ticket<'callback'>>()
  for (const { callback_id, receiver } of callbacks)
    callbacksTurns.set(callback_id, await queue.takeTicket('callback', receiver))
  await db.transaction().execute(async trx => {
    for (const { task_id, job_id, ...task } of await abandonedTasks(trx, lost)) {
      const ticket = tasksTurns.get(task_id)
      // Tasks that were abandoned since then are found by the next round.
      if (!ticket) continue
      const pause = PAUSES[Math.min(task.rescues, PAUSES.length - 1)] as number
      const at = pause > 0 ? new Date(Date.now() + pause * 1000) : undefined
      await takeFromDead(trx, task_id, await queue.send(trx, ticket, { task_id }, { at }))
      if (job_id) await queue.discard(task.lane, job_id, trx)
    }
    for (const callback of await abandonedCallbacks(trx, lost)) {
      const { callback_id, job_id } = callback
      const ticket = callbacksTurns.get(callback_id)
      if (!ticket) continue
      await moveCallback(trx, callback, await queue.send(trx, ticket, { callback_id }))
      if (job_id) await queue.discard('callback', job_id, trx)
    }
    failpoint('recover.before')
  })
  failpoint('recover.after')
}

/** Per round: BATCH tasks are checked for a missing job, and the OLDEST for a job that cannot be taken. */
const BATCH = 500
const OLDEST = 20
/** A callback that is overdue for this long may have been forgotten, however busy the workers are. */
const OVERDUE_SECONDS = 20

/**
 * Restores jobs that vanished, for whatever reason: in normal work a job leaves the queue only in the transaction that claims its task or
 * callback. Each round continues where the last one ended.
 */
export function newReconciler(services: TaskServices): () => Promise<number> {
  const { db, queue, log } = services
  let after: string | null = null
  let last: Overdue | null = null

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

  /** Gives a task another job, unless something else moved it on meanwhile. */
  async function renew({ task_id, experience_id, job_id, lane }: Unclaimed): Promise<number> {
    const ticket = await queue.takeTicket(lane, experience_id)
    return transact(db, async trx => {
      const now = await lockTask(trx, task_id)
      if (!now || now.ended_at !== null || now.job_id !== job_id || now.worker_id !== null) return 0
      if (job_id) await queue.discard(lane, job_id, trx)
      await setJob(trx, task_id, await queue.send(trx, ticket, { task_id }))
      return 1
    })
  }

  async function callbacks(): Promise<number> {
    const isFirst = last === null
    const overdue = await overdueCallbacks(db, OVERDUE_SECONDS, last, BATCH)
    last = overdue.length < BATCH ? null : (overdue.at(-1) ?? null)
    const waiting = overdue.flatMap(({ callback_id, receiver, job_id, worker_id }) =>
      job_id === null || worker_id !== null ? [] : [{ id: job_id, share: receiver, data: { callback_id } }],
    )
    let found = await queue.restore('callback', waiting)
    for (const [index, callback] of overdue.entries()) {
      const { job_id, worker_id } = callback
      const isLeft = worker_id !== null || job_id === null
      if (isLeft || (isFirst && index < OLDEST && !(await queue.waits('callback', job_id))))
        found += await move(callback)
    }
    return found
  }

  async function move(callback: Stranded): Promise<number> {
    const ticket = await queue.takeTicket('callback', callback.receiver)
    return transact(db, async trx => {
      if (!(await moveCallback(trx, callback, ticket.id))) return 0
      if (callback.job_id) await queue.discard('callback', callback.job_id, trx)
      await queue.send(trx, ticket, { callback_id: callback.callback_id })
      return 1
    })
  }

  return async () => {
    const found = (await tasks()) + (await callbacks())
    if (found > 0) log.warn({ found }, 'work without a job went back into the queue')
    return found
  }
}

/**
 * Hands back tasks that this worker has claimed but does not run, if two rounds in a row find them: the answer to the claim must have been
 * lost. `runs`: whether the worker runs the task.
 */
export function newUnrunTaskReturn(
  services: TaskServices & { workerId: string },
  runs: (taskId: string) => boolean,
): () => Promise<void> {
  let suspects = new Set<string | null>()
  return async () => {
    const tasks = await tasksOf(services.db, services.workerId)
    // Asked after the query: a task that finished in between is fenced by its claim.
    const idle = tasks.filter(({ task_id }) => !runs(task_id))
    for (const task of idle.filter(({ claim }) => suspects.has(claim))) {
      services.log.warn({ task_id: task.task_id }, 'a task that nobody ran goes back into the queue')
      await handBack(services, task, { seconds: 0 })
    }
    suspects = new Set(idle.map(({ claim }) => claim))
  }
}
