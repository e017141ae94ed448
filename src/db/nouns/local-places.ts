// Queries about places below a folder that experiences share: whoever delivers to one first has it.
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Queries } from '../database.ts'

/** The experience that has the place, null where nobody has. */
export async function ownerOf(db: Queries, place: string): Promise<string | null> {
  const { rows } = await sql<{ experience_id: string }>`
    select experience_id from local_places where place = ${digest(place)}`.execute(db)
  return rows[0]?.experience_id ?? null
}

/** Of several at once one gets it, and it stays with whoever has it. */
export async function takeLocalPlace(db: Queries, place: string, experienceId: string): Promise<void> {
  await sql`
    insert into local_places (place, experience_id) values (${digest(place)}, ${experienceId})
    on conflict do nothing`.execute(db)
}

/** Disks that take "A" and "a" for the same name are held to one owner too. */
const digest = (place: string): Buffer =>
  createHash('sha256')
    .update(place.replace(/[A-Z]/g, letter => letter.toLowerCase()))
    .digest()
