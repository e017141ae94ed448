// Sends a callback again: the same id and body, with the schedule from its start.

import type { Db } from '#db/database.ts'
import { type CallbackRow, reopenCallback } from '#db/nouns/callback-rows.ts'
import { failpoint } from '#kit/failpoint.ts'
import type { Queue } from '#queue/queue.ts'

export async function resendCallback(
  { db, queue }: { db: Db; queue: Queue },
  { callback_id, receiver }: Pick<CallbackRow, 'callback_id' | 'receiver'>,
): Promise<CallbackRow> {
  const ticket = await queue.turn('callback', receiver)
  const sent = await db.transaction().execute(async trx => {
    const jobId = await queue.send(trx, { ...ticket, lane: 'callback' }, { callback_id })
    const reopened = await reopenCallback(trx, callback_id, jobId)
    if (!reopened) throw new Error(`callback ${callback_id} vanished`)
    failpoint('resend.before')
    return reopened
  })
  failpoint('resend.after')
  return sent
}
