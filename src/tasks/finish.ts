// Ends a run: final state, activities and the frozen callback in one transaction.
import type { Queries, Trx } from '#db/database.ts'
import { LeaseLost } from '#db/entries.ts'
import type { Snapshot, TaskStatus } from '#db/tables.ts'
import { nextParked, setJob } from '#db/task-claims.ts'
import { endTask, holdTask, type TaskEnd } from '#db/task-ends.ts'
import type { EntryRow, WholeTask } from '#db/tasks.ts'
import { failpoint } from '#kit/failpoint.ts'
import { newId } from '#kit/ids.ts'
import type { TaskLane } from '#queue/lanes.ts'
import type { Ticket } from '#queue/queue.ts'
import { hasGuests, type Recorded, recordActivities, withoutGuests } from './record-activities.ts'
import { callbackBody } from './results.ts'
import type { TaskServices } from './services.ts'

export interface Ending {
  /** As it stands now: all its entries have ended. */
  task: WholeTask
  snapshots: ReadonlyMap<string, Snapshot>
  /** Siblings may wait for it to end. */
  counted: boolean
  spentSeconds: number
}

/** Ends the task if the lease it was read with still holds. */
export async function finishTask(services: TaskServices, ending: Ending): Promise<WholeTask> {
  const { db, queue, adapters } = services
  const { webhook_url, warnings } = ending.task
  const ticket = webhook_url === null ? null : await queue.turn('callback', receiverOf(webhook_url))
  const chains = ending.task.chains.map(chain => ({ ...chain, status: chainStatus(chain.entries) }))
  const ended: WholeTask = { ...ending.task, status: finalStatus(chains), chains }

  async function end(queries: Queries, recorded: Recorded): Promise<WholeTask> {
    const task: WholeTask = { ...ended, chains: recorded.chains, warnings: [...warnings, ...recorded.warnings] }
    const callback = webhook_url !== null && ticket ? newCallback(task, webhook_url, ticket) : null
    const row = await endTask(queries, { task, spentSeconds: ending.spentSeconds, callback })
    if (!row) throw new LeaseLost()
    return { ...row, chains: task.chains }
  }

  async function endWithMore(trx: Trx): Promise<WholeTask> {
    if (!(await holdTask(trx, ended))) throw new LeaseLost()
    const task = await end(trx, await recordActivities(adapters, trx, ended, ending.snapshots))
    if (ending.counted) await wakeSibling(services, trx, task.experience_id)
    failpoint('finish.before')
    return task
  }

  // One statement is a transaction by itself; guests and siblings need more.
  const isAlone = !ending.counted && !hasGuests(ended)
  if (isAlone) failpoint('finish.before')
  const finished = isAlone ? await end(db, withoutGuests(adapters, ended)) : await db.transaction().execute(endWithMore)
  failpoint('finish.after')
  return finished
}

function newCallback(task: WholeTask, url: string, ticket: Ticket): NonNullable<TaskEnd['callback']> {
  const callback_id = newId()
  return {
    row: { callback_id, url, receiver: ticket.share, body: callbackBody(task) },
    job: { ...ticket, data: { callback_id } },
  }
}

export const receiverOf = (url: string): string => new URL(url).host

export function chainStatus(entries: readonly EntryRow[]): TaskStatus {
  if (entries.some(entry => entry.status === 'Cancelled')) return 'Cancelled'
  return entries.every(entry => entry.status === 'Succeeded') ? 'Succeeded' : 'Failed'
}

function finalStatus(chains: readonly { status: TaskStatus }[]): TaskStatus {
  const statuses = chains.map(chain => chain.status)
  if (statuses.includes('Cancelled')) return 'Cancelled'
  return statuses.every(status => status === 'Succeeded') ? 'Succeeded' : 'Failed'
}

/** A task of the same experience may have been turned away while this one ran. */
export async function wakeSibling({ queue }: TaskServices, trx: Trx, experienceId: string): Promise<void> {
  const sibling = await nextParked(trx, experienceId)
  if (!sibling) return
  const ticket = await queue.turn(sibling.lane as TaskLane, experienceId, trx)
  await setJob(
    trx,
    sibling.task_id,
    await queue.send(trx, { ...ticket, lane: sibling.lane as TaskLane }, { task_id: sibling.task_id }),
  )
}
