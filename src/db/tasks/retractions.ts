// Marks deliveries that were taken back, wherever they are told of.
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { notifyChange } from '../notify.ts'
import { transact } from '../transact.ts'

interface Retracted {
  task_id: string
  chain_id: string
  index: number
}

/** The task is locked first, so that a guest who is just found gets an activity with the mark, too. */
export async function markRetracted(db: Db, { task_id, chain_id, index }: Retracted): Promise<void> {
  await transact(db, async trx => {
    await trx.selectFrom('tasks').select('task_id').where('task_id', '=', task_id).forUpdate().execute()
    await sql`
      update entries set retracted_at = now(), change = nextval('changes')
      where chain_id = ${chain_id} and index = ${index} and status = 'Succeeded' and retracted_at is null`.execute(trx)
    await sql`
      update activities set retracted_at = now() where chain_id = ${chain_id} and entry = ${index} and retracted_at is null`.execute(
      trx,
    )
    await notifyChange(trx, task_id)
  })
}
