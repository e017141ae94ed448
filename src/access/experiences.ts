// Changes experiences that the caller may see.
import type { Db } from '#db/database.ts'
import * as rows from '#db/nouns/experience-rows.ts'
import { transact } from '#db/transact.ts'
import type { Visible } from '#db/visible.ts'
import { anything, type Expect } from '#kit/expect.ts'
import { stableJson } from '#kit/json.ts'
import type { SecretBox } from '#kit/secret/secrets.ts'

export async function changeExperience(
  db: Db,
  visible: Visible,
  id: string,
  settings: rows.ExperienceSettings,
  expect: Expect<rows.ExperienceRow> = anything,
): Promise<rows.ExperienceRow> {
  return transact(db, async trx => {
    const stored = await rows.lockExperience(trx, visible, id)
    expect(stored)
    const isSame = stableJson({ ...stored, ...settings }) === stableJson(stored)
    return isSame ? stored : rows.updateExperience(trx, id, settings)
  })
}

export async function rotateSecret(
  db: Db,
  box: SecretBox,
  visible: Visible,
  id: string,
): Promise<rows.ExperienceRow> {
  return transact(db, async trx => {
    await rows.lockExperience(trx, visible, id)
    return rows.rotateSecret(trx, box, id)
  })
}
