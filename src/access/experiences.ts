// Changes experiences that the caller may see.
import type { Queries } from '#db/database.ts'
import * as rows from '#db/nouns/experience-rows.ts'
import type { Visible } from '#db/visible.ts'
import type { SecretBox } from '#kit/secret/secrets.ts'

export async function changeExperience(
  db: Queries,
  visible: Visible,
  id: string,
  settings: rows.ExperienceSettings,
): Promise<rows.ExperienceRow> {
  const known = await rows.readExperience(db, visible, id)
  return (await rows.updateExperience(db, id, settings)) ?? known
}

export async function rotateSecret(
  db: Queries,
  box: SecretBox,
  visible: Visible,
  id: string,
): Promise<rows.ExperienceRow> {
  const known = await rows.readExperience(db, visible, id)
  return (await rows.rotateSecret(db, box, id)) ?? known
}
