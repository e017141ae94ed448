// Sends a callback again: the same id and body, with the schedule from its start.

import type { Db } from '#db/database.ts'
import { type CallbackRow, reopenCallback } from '#db/nouns/callback-rows.ts'
import { Problem } from '#kit/errors.ts'
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
    // Deleted with its task since the caller saw it.
    if (!reopened) throw new Problem('not_found', `There is no callback "${callback_id}" any more.`)
    failpoint('resend.before')
    return reopened
  })
  failpoint('resend.after')
  return sent
}
