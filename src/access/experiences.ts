// Reading and settling experiences, as far as the caller may see them.
import type { Queries } from '#db/database.ts'
import * as rows from '#db/nouns/experience-rows.ts'
import type { Page, PageRequest } from '#db/page.ts'
import { Problem } from '#kit/errors.ts'
import type { SecretBox } from '#kit/secret/secrets.ts'
import type { Access } from './scopes.ts'

export type { ExperienceRow, ExperienceSettings } from '#db/nouns/experience-rows.ts'
export { webhookSecret } from '#db/nouns/experience-rows.ts'

export const listExperiences = (db: Queries, access: Access, page: PageRequest): Promise<Page<rows.ExperienceRow>> =>
  rows.listExperiences(db, access.experiences, page)

export async function readExperience(db: Queries, access: Access, id: string): Promise<rows.ExperienceRow> {
  const row = await rows.findExperience(db, access.experiences, id)
  if (!row) throw new Problem('not_found', `There is no experience "${id}".`)
  return row
}

export async function changeExperience(
  db: Queries,
  access: Access,
  id: string,
  settings: rows.ExperienceSettings,
): Promise<rows.ExperienceRow> {
  const known = await readExperience(db, access, id)
  return (await rows.updateExperience(db, id, settings)) ?? known
}

export async function rotateSecret(
  db: Queries,
  box: SecretBox,
  access: Access,
  id: string,
): Promise<rows.ExperienceRow> {
  const known = await readExperience(db, access, id)
  return (await rows.rotateSecret(db, box, id)) ?? known
}
