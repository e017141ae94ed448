// Gives the place of a task that ended or waits to another one of its experience.
import type { Trx } from '#db/database.ts'
import { nextParked, setJob } from '#db/tasks/task-claims.ts'
import type { TaskServices } from '../task-services.ts'

/** A task of the same experience may have been parked while this one ran. */
export async function wakeSibling({ queue }: TaskServices, trx: Trx, experienceId: string): Promise<void> {
  const sibling = await nextParked(trx, experienceId)
  if (!sibling) return
  const ticket = await queue.takeTicket(sibling.lane, experienceId, trx)
  await setJob(trx, sibling.task_id, await queue.send(trx, ticket, { task_id: sibling.task_id }))
}
