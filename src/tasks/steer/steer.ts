// Cancels a task, and opens the next run of a task that ended.
import type { TaskOwner } from '#access/limits.ts'
import { sortExtras } from '#configurations/options.ts'
import type { Trx } from '#db/database.ts'
import type { ChainFiles, ChainInput, TaskLane } from '#db/tables.ts'
import { ClaimLost } from '#db/tasks/entry-rows.ts'
import { insertSnapshots } from '#db/tasks/snapshots.ts'
import { lockTask, type ReopenedChain, reopenTask, requestCancel } from '#db/tasks/steer-rows.ts'
import { type TaskRow, type WholeTask, wholeTask } from '#db/tasks/task-rows.ts'
import { disownFiles, forgetUploads } from '#db/tasks/upload-rows.ts'
import { transact } from '#db/transact.ts'
import { cancellation, Problem } from '#kit/errors.ts'
import { failpoint } from '#kit/failpoint.ts'
import { type UsedUploads, useUploads } from '#uploads/use-uploads.ts'
import { requireWaitingRoom } from '../accept/capacity.ts'
import { abandonDeliveries } from '../end/abandon.ts'
import { finishTask } from '../end/finish.ts'
import { withdrawGuests } from '../end/record-activities.ts'
import { blobsOf } from '../entry/given-files.ts'
import { guestsOf } from '../entry/guests.ts'
import { hasEnded, loadStored } from '../entry/loaded.ts'
import { firstLane } from '../lane.ts'
import { recordSteering, refuseErased, requireTask } from '../record-steering.ts'
import { endTheRest } from '../run/end-the-rest.ts'
import { isDone } from '../run/run-chain.ts'
import type { TaskServices } from '../task-services.ts'
import { type Changes, planNextRun } from './next-run.ts'

export type { Changes, Replacement } from './next-run.ts'

export async function cancelTask(services: TaskServices, taskId: string): Promise<WholeTask> {
  const { db } = services
  const [task, row] = await transact(db, async trx => {
    const task = requireTask(await lockTask(trx, taskId), taskId)
    if (hasEnded(task)) throw wrongState(task, 'cancelled', 'Waiting or Running')
    const row = await requestCancel(trx, task)
    await endSoon(services, trx, [task])
    await recordSteering(services, trx, task, 'cancel', { cancel_requested: true })
    failpoint('cancel.before')
    return [task, row] as const
  })
  failpoint('cancel.after')
  // No worker runs the task, so it is ended here.
  if (task.worker_id === null) {
    try {
      const loaded = await loadStored(db, services.adapters, { ...task, ...row })
      const cancelled = await endTheRest(services, loaded, cancellation())
      await finishTask(services, { task: cancelled, counted: true, spentSeconds: 0 })
      // The caller need not wait for the target.
      if (task.chains.some(chain => chain.entries.some(entry => entry.checkpoint !== null)))
        void abandonDeliveries(services, { task: cancelled, guests: await guestsOf(services, cancelled) })
    } catch (error) {
      // A worker claimed the task in between, and ends it.
      if (!(error instanceof ClaimLost)) throw error
    }
  }
  return (await wholeTask(db, taskId)) as WholeTask
}

/** Whoever cancels tasks ends those that nobody runs. If that process dies first, a worker does, and waits for no next attempt of theirs. */
export async function endSoon(
  { queue }: Pick<TaskServices, 'queue'>,
  trx: Trx,
  tasks: readonly Pick<TaskRow, 'task_id' | 'experience_id' | 'lane' | 'status' | 'worker_id' | 'job_id'>[],
): Promise<void> {
  for (const [lane, some] of Map.groupBy(tasks, each => each.lane)) {
    const putOff = some.flatMap(({ task_id, experience_id: share, status, worker_id, job_id: id }) =>
      status === 'Running' && worker_id === null && id !== null ? [{ id, share, data: { task_id } }] : [],
    )
    await queue.hasten(trx, lane, putOff)
  }
}

/** Throws unless the task can be run again as it is now. */
export function requireRetryable(task: WholeTask): void {
  refuseErased(task)
  if (task.status !== 'Failed' && task.status !== 'Cancelled')
    throw wrongState(task, 'run again', 'Failed or Cancelled')
}

/** A task that a limited token once made or changed stays limited: what the token wrote into the extras is still there. */
export async function retryTask(
  services: TaskServices,
  taskId: string,
  changes: Changes,
  owner: TaskOwner,
  uploads?: UsedUploads,
): Promise<WholeTask> {
  const { db, queue } = services
  const before = requireTask(await wholeTask(db, taskId), taskId)
  const lane = laneOf(services, before, changes)
  const ticket = await queue.takeTicket(lane, before.experience_id)
  const reopened = await transact(db, async trx => {
    const task = requireTask(await lockTask(trx, taskId), taskId)
    requireRetryable(task)
    await requireWaitingRoom(trx, owner)
    const { chains, warnings, snapshots } = await planNextRun(services, trx, task, changes, owner.anyFile)
    await insertSnapshots(trx, snapshots)
    await useUploads(trx, uploads)
    await changeOwners(trx, task, chains)
    const jobId = await queue.send(trx, ticket, { task_id: taskId })
    await reopenTask(trx, task, { lane, jobId, ...owner, warnings }, chains)
    const whole = (await wholeTask(trx, taskId)) as WholeTask
    if (replaced(changes).new_extras) {
      const named = task.chains.flatMap(({ extras }) => sortExtras(extras, 'extras').sorted.lookups)
      await withdrawGuests(trx, await loadStored(trx, services.adapters, whole), named)
    }
    await recordSteering(services, trx, task, 'retry', { status: whole.status, run: whole.run, ...replaced(changes) })
    failpoint('retry.before')
    return whole
  })
  failpoint('retry.after')
  return reopened
}

/** For the audit: which configurations got another file or other extras, not what is in them. */
function replaced({ replacements, files = {} }: Changes): { new_files?: string[]; new_extras?: string[] } {
  const named = [...replacements]
  const newFiles = [...named.filter(([, { input }]) => input).map(([name]) => name), ...Object.keys(files)]
  const newExtras = named.filter(([, { extras }]) => extras).map(([name]) => name)
  return {
    ...(newFiles.length > 0 ? { new_files: newFiles } : {}),
    ...(newExtras.length > 0 ? { new_extras: newExtras } : {}),
  }
}

/** Chosen by the first chain that will run again. If the task needs another lane, its run moves it there. */
function laneOf({ adapters }: TaskServices, task: WholeTask, { replacements }: Changes): TaskLane {
  const open = task.chains.map(chain => {
    const { input = chain.input } = replacements.get(chain.configuration) ?? {}
    return { input, entries: chain.entries.filter(entry => input !== chain.input || !isDone(chain, entry)) }
  })
  const entries = open.flatMap(each => each.entries)
  const first = open.find(each => each.entries.length > 0)
  return first ? firstLane(adapters, first, entries) : 'transfer'
}

/** The task now owns its new files. Files it no longer needs are left to the sweeper. */
async function changeOwners(trx: Trx, task: WholeTask, chains: readonly ReopenedChain[]): Promise<void> {
  const inputs = (list: readonly { input: ChainInput; files: ChainFiles }[]) =>
    list.flatMap(({ input, files }) => [...('file' in input ? [input.file.blob] : []), ...blobsOf(files)])
  const outputs = (chain: WholeTask['chains'][number], without: readonly number[]) =>
    chain.entries.flatMap(entry => (entry.output?.blob && !without.includes(entry.index) ? [entry.output.blob] : []))
  const before = new Set([...inputs(task.chains), ...task.chains.flatMap(chain => outputs(chain, []))])
  const after = new Set([
    ...inputs(chains),
    ...task.chains.flatMap((chain, index) => outputs(chain, chains[index]?.again ?? [])),
  ])
  await forgetUploads(trx, [...after.difference(before)])
  if (!task.files_deleted_at) await disownFiles(trx, [...before.difference(after)])
}

const wrongState = (task: WholeTask, verb: string, allowed: string): Problem =>
  new Problem(
    'wrong_state',
    `The ${task.is_group ? 'task group' : 'task'} is ${task.status}; only one that is ${allowed} can be ${verb}.`,
  )
