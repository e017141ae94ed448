// Sends a callback again: the same id and body, with the schedule from its start.

import type { Db } from '#db/database.ts'
import { recordChange } from '#db/nouns/audit-rows.ts'
import { type CallbackRow, reopenCallback } from '#db/nouns/callback-rows.ts'
import type { Actor } from '#kit/actor.ts'
import { Problem } from '#kit/errors.ts'
import { failpoint } from '#kit/failpoint.ts'
import type { Queue } from '#queue/queue.ts'

export async function resendCallback(
  { db, queue, actor }: { db: Db; queue: Queue; actor: Actor },
  { callback_id, receiver, status }: Pick<CallbackRow, 'callback_id' | 'receiver' | 'status'>,
): Promise<CallbackRow> {
  const ticket = await queue.takeTicket('callback', receiver)
  const sent = await db.transaction().execute(async trx => {
    const jobId = await queue.send(trx, ticket, { callback_id })
    const reopened = await reopenCallback(trx, callback_id, jobId)
    // Deleted with its task since the caller saw it.
    if (!reopened) throw new Problem('not_found', `There is no callback "${callback_id}" any more.`)
    const { experience_id, status: now } = reopened
    const change = { action: 'resend', object: 'callback', object_id: callback_id, experience_id } as const
    await recordChange(trx, actor, { ...change, before: { status }, after: { status: now } })
    failpoint('resend.before')
    return reopened
  })
  failpoint('resend.after')
  return sent
}
