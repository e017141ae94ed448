// Queries about places below a folder that experiences share: a place belongs to the experience that delivers there first.
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Queries } from '../database.ts'

/** The experience that has the place; null if it is free. */
export async function ownerOf(db: Queries, place: string): Promise<string | null> {
  const { rows } = await sql<{ experience_id: string }>`
    select experience_id from local_places where place = ${digest(place)}`.execute(db)
  return rows[0]?.experience_id ?? null
}

/** Takes the place if it is free. Of several at the same time one gets it. */
export async function takeLocalPlace(db: Queries, place: string, experienceId: string): Promise<void> {
  await sql`
    insert into local_places (place, experience_id) values (${digest(place)}, ${experienceId})
    on conflict do nothing`.execute(db)
}

/** Ignores case: some disks take "A" and "a" for the same name. */
const digest = (place: string): Buffer =>
  createHash('sha256')
    .update(place.replace(/[A-Z]/g, letter => letter.toLowerCase()))
    .digest()
