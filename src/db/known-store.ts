// Remembers which file stores were used before: if the folder of a known store is missing, its disk is not mounted.
import { createHash } from 'node:crypto'
import type { Db } from './database.ts'

const keyOf = (place: string): string => `file store ${createHash('sha256').update(place).digest('hex').slice(0, 32)}`

export async function isKnownStore(db: Db, place: string): Promise<boolean> {
  const known = await db.selectFrom('deployment').select('key').where('key', '=', keyOf(place)).executeTakeFirst()
  return known !== undefined
}

export async function rememberStore(db: Db, place: string): Promise<void> {
  await db
    .insertInto('deployment')
    .values({ key: keyOf(place), value: Buffer.from('made') })
    .onConflict(conflict => conflict.column('key').doNothing())
    .execute()
}
