// Takes back what was delivered: for one task, or for everything that was made for a person.

import type { Snapshot } from '#db/tables.ts'
import { lockFiles, markFilesDeleted } from '#db/tasks/retention.ts'
import { snapshotsOf } from '#db/tasks/snapshots.ts'
import { tasksOf } from '#db/tasks/task-guests.ts'
import type { WholeTask } from '#db/tasks/task-rows.ts'
import type { Visible } from '#db/visible.ts'
import { isDestination } from '#engine/adapter.ts'
import { Problem } from '#kit/errors.ts'
import type { JsonObject } from '#kit/json.ts'
import { guestsOf } from '../entry/guests.ts'
import { type Chain, overallIndex } from '../entry/loaded.ts'
import type { TaskServices } from '../task-services.ts'
import { afterwards } from './afterwards.ts'

const ENDED: readonly string[] = ['Succeeded', 'Failed', 'Cancelled']

export interface Receipt {
  /** What is not there any more. */
  removed: ReceiptLine[]
  /** What could not be taken back, and why. */
  kept: (ReceiptLine & { reason: string })[]
}

export interface ReceiptLine {
  task_id: string
  configuration: string
  index: number
  result: JsonObject
}

/** Everything that was delivered for a person in the experiences the caller sees, and the files of it that we keep. */
export async function retractForPerson(services: TaskServices, visible: Visible, profileId: string): Promise<Receipt> {
  const receipt: Receipt = { removed: [], kept: [] }
  for (const task of await tasksOf(services.db, visible, profileId)) {
    const { removed, kept } = await retractTask(services, task)
    receipt.removed.push(...removed)
    receipt.kept.push(...kept)
  }
  return receipt
}

/** What one task delivered; its own files go as well. */
export async function retractTask(services: TaskServices, task: WholeTask): Promise<Receipt> {
  if (!ENDED.includes(task.status))
    throw new Problem(
      'wrong_state',
      `The ${task.is_group ? 'task group' : 'task'} is ${task.status}; only what has ended can be taken back.`,
    )
  const snapshots = await snapshotsOf(services.db, task.chains)
  const guests = await guestsOf(services.db, task)
  const receipt: Receipt = { removed: [], kept: [] }
  for (const chain of task.chains) {
    for (const { index, configuration, status, result, error } of chain.entries) {
      if (error?.code === 'outcome_unknown')
        receipt.kept.push({
          task_id: task.task_id,
          configuration,
          index: overallIndex(task, chain, index),
          result: {},
          reason: 'Whether it was delivered is not known: look there.',
        })
      if (status !== 'Succeeded' || !result || !isDelivery(services, chain, index)) continue
      const line = { task_id: task.task_id, configuration, index: overallIndex(task, chain, index), result }
      const reason = await retractEntry(services, { task, guests }, chain, index, snapshots)
      if (reason === null) receipt.removed.push(line)
      else receipt.kept.push({ ...line, reason })
    }
  }
  await forgetFiles(services, task.task_id)
  return receipt
}

function isDelivery({ adapters }: TaskServices, chain: Chain, index: number): boolean {
  const adapter = adapters.get(chain.entries[index]?.adapter_name ?? '')
  return adapter !== undefined && isDestination(adapter)
}

/** Null when it is gone, else why it is not. */
async function retractEntry(
  services: TaskServices,
  run: Parameters<typeof afterwards>[1],
  chain: Chain,
  index: number,
  snapshots: ReadonlyMap<string, Snapshot>,
): Promise<string | null> {
  const entry = chain.entries[index] as Chain['entries'][number]
  let clean = (error: unknown): unknown => error
  try {
    const after = afterwards(services, run, chain, index, snapshots)
    if (!after?.adapter.retract) return `${entry.adapter_name} can’t take back what it delivered.`
    clean = after.error
    await after.adapter.retract(entry.result as JsonObject, after.step)
    return null
  } catch (error) {
    const told = clean(error)
    if (told instanceof Problem) return told.message
    services.log.error({ err: told, task_id: run.task.task_id, index }, 'a delivery could not be taken back')
    return 'It failed for a reason of our own.'
  }
}

async function forgetFiles({ db, blobs }: TaskServices, taskId: string): Promise<void> {
  await db.transaction().execute(async trx => {
    for (const blob of await lockFiles(trx, taskId)) await blobs.delete(blob)
    await markFilesDeleted(trx, taskId)
  })
}
