// Ends a run: writes the final state, the activities and the frozen callback in one transaction.

import type { Trx } from '#db/database.ts'
import { keepGuestOf } from '#db/guests/keepsake-lookups.ts'
import type { ClaimedCallback } from '#db/nouns/callback-rows.ts'
import { retryWhileAway } from '#db/retry-while-away.ts'
import type { TaskStatus } from '#db/tables.ts'
import { ClaimLost } from '#db/tasks/entry-rows.ts'
import { endTask, lockClaimedTask, type NewCallback } from '#db/tasks/task-ends.ts'
import type { EntryRow, WholeTask } from '#db/tasks/task-rows.ts'
import { transact } from '#db/transact.ts'
import { failpoint } from '#kit/failpoint.ts'
import { newId } from '#kit/ids.ts'
import type { Ticket } from '#queue/queue.ts'
import { isThrough, type Task, withGuestOf } from '../entry/loaded.ts'
import type { TaskServices } from '../task-services.ts'
import { callbackBody } from './callback-body.ts'
import { lockGuests, type Recorded, recordActivities, withoutGuests } from './record-activities.ts'
import { wakeSibling } from './wake-sibling.ts'

interface Ending {
  /** All its entries have ended. */
  task: Task
  /** The task counts against its experience's limit: others of the experience may wait for it to end. */
  counted: boolean
  spentSeconds: number
  /** Ends the task without its activities, because recording them failed again and again. */
  bare?: boolean
}

/** Attempts callbacks in the process that ends their tasks, past the queue: 5 % more photos a second (`npm run bench -- tricks`). */
export interface Courier {
  workerId: string
  /** Reserves room for one callback to that receiver; null if the callback has to wait in the queue. */
  reserve(receiver: string): Reservation | null
}

interface Reservation {
  jobId: string
  attempt(callback: ClaimedCallback): void
  /** For a callback of which nobody knows whether it was committed. */
  attemptIfThere(callbackId: string): void
}

/** Ends the task if the claim it was read with still holds. The courier, if given, attempts the callback at once. */
export async function finishTask(services: TaskServices, ending: Ending, courier?: Courier): Promise<WholeTask> {
  const { webhook_url } = ending.task
  if (webhook_url === null) return (await writeEnd(services, ending, null)).task
  const address = { callback_id: newId(), url: webhook_url, receiver: receiverOf(webhook_url) }
  const reserved = courier?.reserve(address.receiver)
  if (!courier || !reserved) return (await writeEnd(services, ending, await queued(services, address))).task
  try {
    const direct = { ...address, job_id: reserved.jobId, worker_id: courier.workerId, ticket: null }
    // Every try writes the same callback, so the attempt below is for the one that was committed.
    const { task, callback } = await retryWhileAway(() => writeEnd(services, ending, direct))
    reserved.attempt(callback as ClaimedCallback)
    return task
  } catch (error) {
    // The commit may have happened although its answer was lost.
    reserved.attemptIfThere(address.callback_id)
    throw error
  }
}

/** A callback whose body is not known yet. */
type Addressed = Omit<NewCallback, 'body'> & {
  /** The turn of the callback's job; null if the callback is attempted at once. */
  ticket: Ticket<'callback'> | null
}

async function queued(
  { queue }: TaskServices,
  address: Pick<Addressed, 'callback_id' | 'url' | 'receiver'>,
): Promise<Addressed> {
  const ticket = await queue.takeTicket('callback', address.receiver)
  return { ...address, job_id: ticket.id, worker_id: null, ticket }
}

const WITHOUT_ACTIVITIES =
  'Its activities were not recorded: that failed again and again in a way that was not foreseen. The log of the worker has more.'

interface Finished {
  task: WholeTask
  callback: ClaimedCallback | null
}

async function writeEnd(services: TaskServices, ending: Ending, addressed: Addressed | null): Promise<Finished> {
  const { db, queue } = services
  const warnings = [...ending.task.warnings, ...(ending.bare ? [WITHOUT_ACTIVITIES] : [])]
  const chains = ending.task.chains.map(chain => ({ ...chain, status: chainStatus(chain.entries) }))
  const ended: Task = { ...ending.task, status: finalStatus(chains), chains }

  async function write(trx: Trx, recorded: Recorded): Promise<Finished> {
    const task: WholeTask = { ...ended, chains: recorded.chains, warnings: [...warnings, ...recorded.warnings] }
    const callback = addressed && { ...addressed, body: callbackBody(task) }
    const written = await endTask(trx, { task, spentSeconds: ending.spentSeconds, callback })
    if (!written) throw new ClaimLost()
    const { task_id, experience_id } = task
    return {
      task: { ...written.row, chains: task.chains },
      callback: callback && {
        ...callback,
        ...written.secrets,
        task_id,
        experience_id,
        traceparent: task.traceparent,
        event: task.is_group ? 'taskgroup' : 'task',
        attempt_count: 0,
      },
    }
  }

  async function end(trx: Trx): Promise<Finished> {
    const { keepsake_id } = ended
    const known = keepsake_id === null ? ended : withGuestOf(ended, await keepGuestOf(trx, keepsake_id))
    const guests = ending.bare ? null : await lockGuests(trx, known)
    if (!(await lockClaimedTask(trx, ended))) throw new ClaimLost()
    const recorded = guests ? await recordActivities(trx, known, guests) : withoutGuests(ended)
    const finished = await write(trx, recorded)
    if (addressed?.ticket) await queue.send(trx, addressed.ticket, { callback_id: addressed.callback_id })
    // Nobody had claimed the task: its job is still in the queue.
    const { job_id, worker_id, lane } = ended
    if (job_id && worker_id === null) await queue.discard(lane, job_id, trx)
    if (ending.counted) await wakeSibling(services, trx, ended.experience_id)
    failpoint('finish.before')
    return finished
  }

  // After a conflict with another transaction only this step is repeated, not the work of the last entry.
  const finished = await transact(db, end, { rereads: true })
  failpoint('finish.after')
  noteEnd(services, finished.task)
  return finished
}

const receiverOf = (url: string): string => new URL(url).host

export function chainStatus(entries: readonly EntryRow[]): TaskStatus {
  if (entries.some(entry => entry.status === 'Cancelled')) return 'Cancelled'
  return entries.every(isThrough) ? 'Succeeded' : 'Failed'
}

function finalStatus(chains: readonly { status: TaskStatus }[]): TaskStatus {
  const statuses = chains.map(chain => chain.status)
  if (statuses.includes('Cancelled')) return 'Cancelled'
  return statuses.every(status => status === 'Succeeded') ? 'Succeeded' : 'Failed'
}

/** Tells the log and the meters. Of a guest it tells nothing: neither names of files nor what the extras brought. */
function noteEnd({ log, meters }: TaskServices, task: WholeTask): void {
  const { task_id, experience_id, is_group, run, chains, spent_seconds } = task
  const status = task.status as 'Succeeded' | 'Failed' | 'Cancelled'
  const entries = chains.flatMap(chain => chain.entries)
  const ms = Math.max(0, (task.ended_at?.getTime() ?? Date.now()) - task.created_at.getTime())
  meters.count('tasks', { status })
  // A later run would count the time until somebody asked for it.
  if (run === 1) meters.observe('taskSeconds', { status }, ms / 1000)
  log.info(
    {
      task_id,
      status,
      experience_id,
      configuration: is_group ? chains.map(({ configuration }) => configuration) : task.configuration,
      ms,
      worked_ms: Math.round(spent_seconds * 1000),
      run,
      entries: entries.length,
      attempts: entries.reduce((sum, { attempts }) => sum + attempts, 0),
      codes: [...new Set(entries.flatMap(({ error }) => error?.code ?? []))],
    },
    'task ended',
  )
}
