// Sends a callback again: the same id, the same body, from the first slot of the schedule on.
import { type CallbackRow, reopenCallback } from '#db/callbacks.ts'
import type { Db } from '#db/database.ts'
import type { Queue } from '#queue/queue.ts'

export async function resendCallback(
  { db, queue }: { db: Db; queue: Queue },
  { callback_id, receiver }: Pick<CallbackRow, 'callback_id' | 'receiver'>,
): Promise<CallbackRow> {
  const ticket = await queue.turn('callback', receiver)
  return db.transaction().execute(async trx => {
    const reopened = await reopenCallback(trx, callback_id)
    if (!reopened) throw new Error(`callback ${callback_id} vanished`)
    await queue.send(trx, { ...ticket, lane: 'callback' }, { callback_id })
    return reopened
  })
}
