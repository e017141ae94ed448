// Takes back the deliveries of one task, and deletes its stored files.

import { lockFiles, markFilesDeleted } from '#db/tasks/retention.ts'
import { markRetracted } from '#db/tasks/retractions.ts'
import type { WholeTask } from '#db/tasks/task-rows.ts'
import { disownFiles } from '#db/tasks/upload-rows.ts'
import { Problem } from '#kit/errors.ts'
import type { JsonObject } from '#kit/json.ts'
import { newUploads } from '#uploads/uploads.ts'
import { guestsOf } from '../entry/guests.ts'
import { type Chain, delivers, type Entry, hasEnded, loadStored, overallIndex } from '../entry/loaded.ts'
import { recordSteering } from '../record-steering.ts'
import type { TaskServices } from '../task-services.ts'
import { stepAfterDelivery } from './step-after-delivery.ts'

interface Receipt {
  /** Deliveries that are gone from their targets. */
  removed: ReceiptLine[]
  /** Deliveries that could not be taken back, with the reason. */
  kept: (ReceiptLine & { reason: string })[]
}

interface ReceiptLine {
  task_id: string
  configuration: string
  index: number
  result: JsonObject
}

/** Takes back what one task delivered, and deletes its stored files. */
export async function retractTask(services: TaskServices, stored: WholeTask): Promise<Receipt> {
  if (!hasEnded(stored))
    throw new Problem(
      'wrong_state',
      `The ${stored.is_group ? 'task group' : 'task'} is ${stored.status}; only what has ended can be taken back.`,
    )
  const task = await loadStored(services.db, services.adapters, stored)
  const guests = await guestsOf(services, task)
  const receipt: Receipt = { removed: [], kept: [] }
  for (const chain of task.chains) {
    for (const entry of chain.entries) {
      const { index, configuration, status, result, error } = entry
      if (error?.code === 'outcome_unknown')
        receipt.kept.push({
          task_id: task.task_id,
          configuration,
          index: overallIndex(task, chain, index),
          result: {},
          reason: 'Whether it was delivered is not known: look there.',
        })
      if (status !== 'Succeeded' || !result || !delivers(entry)) continue
      const line = { task_id: task.task_id, configuration, index: overallIndex(task, chain, index), result }
      if (entry.retracted_at !== null) {
        receipt.removed.push(line)
        continue
      }
      const reason = await retractEntry(services, { task, guests }, chain, entry)
      if (reason !== null) {
        receipt.kept.push({ ...line, reason })
        continue
      }
      receipt.removed.push(line)
      await markRetracted(services.db, { task_id: task.task_id, chain_id: chain.chain_id, index })
    }
  }
  await forgetFiles(services, stored, { removed: receipt.removed.length, kept: receipt.kept.length })
  return receipt
}

/** Null when the delivery is gone, else the reason why not. */
async function retractEntry(
  services: TaskServices,
  run: Parameters<typeof stepAfterDelivery>[1],
  chain: Chain,
  entry: Entry,
): Promise<string | null> {
  let clean = (error: unknown): unknown => error
  try {
    const after = stepAfterDelivery(services, run, chain, entry)
    if (!after?.adapter.retract) return `${entry.adapter_name} can’t take back what it delivered.`
    clean = after.error
    await after.adapter.retract(entry.result as JsonObject, after.step)
    return null
  } catch (error) {
    const told = clean(error)
    if (told instanceof Problem) return told.message
    services.log.error(
      { err: told, task_id: run.task.task_id, index: entry.index },
      'a delivery could not be taken back',
    )
    return 'It failed for a reason of our own.'
  }
}

async function forgetFiles(services: TaskServices, task: WholeTask, retracted: object): Promise<void> {
  const { db, blobs, log } = services
  const { task_id } = task
  const files = await db.transaction().execute(async trx => {
    const files = await lockFiles(trx, task_id)
    await disownFiles(trx, files)
    await markFilesDeleted(trx, task_id)
    await recordSteering(services, trx, task, 'retract', retracted)
    return files
  })
  await newUploads(db, blobs)
    .drop(files)
    .catch(error => log.warn({ err: error, task_id }, 'files of a task that was taken back were left to the sweeper'))
}
