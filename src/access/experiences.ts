// Makes experiences, and changes those that the caller may see.
import type { Db, Trx } from '#db/database.ts'
import * as rows from '#db/nouns/experience-rows.ts'
import { transact } from '#db/transact.ts'
import { requireVisible, type Visible } from '#db/visible.ts'
import { badField, Problem } from '#kit/errors.ts'
import { anything, type Expect } from '#kit/expect.ts'
import { stableJson } from '#kit/json.ts'
import type { SecretBox } from '#kit/secret/secrets.ts'

/** Elsewhere an experience is made at the first use of its id; here it must be a new one. */
export async function createExperience(
  db: Db,
  box: SecretBox,
  visible: Visible,
  id: string,
  settings: rows.ExperienceSettings,
): Promise<rows.ExperienceRow> {
  requireVisible(visible, id)
  checkSettings(settings)
  return transact(db, async trx => {
    const row = await rows.insertExperience(trx, box, id, settings)
    if (!row) throw new Problem('name_taken', `There is an experience "${id}" already.`)
    return row
  })
}

/** Only names: `DateTimeFormat` takes offsets like +02:00 as well, which know nothing of summer time. */
const ZONE = /^[A-Za-z][\w+/-]{0,63}$/

function checkSettings({ time_zone, starts_at, ends_at }: rows.ExperienceSettings): void {
  if (typeof time_zone === 'string' && !isTimeZone(time_zone))
    throw badField('time_zone', `"${time_zone}" is no time zone of the IANA database; give one like Europe/Berlin`)
  if (starts_at && ends_at && starts_at >= ends_at)
    throw badField('ends_at', `must lie after starts_at, which is ${starts_at.toISOString()}`)
}

function isTimeZone(name: string): boolean {
  if (!ZONE.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

export async function changeExperience(
  db: Db,
  visible: Visible,
  id: string,
  settings: rows.ExperienceSettings,
  { expect = anything, also }: { expect?: Expect<rows.ExperienceRow>; also?: (trx: Trx) => Promise<void> } = {},
): Promise<rows.ExperienceRow> {
  return transact(db, async trx => {
    const stored = await rows.lockExperience(trx, visible, id)
    expect(stored)
    checkSettings({ ...stored, ...settings })
    await also?.(trx)
    const isSame = stableJson({ ...stored, ...settings }) === stableJson(stored)
    return isSame && !also ? stored : rows.updateExperience(trx, id, settings)
  })
}

export async function rotateSecret(db: Db, box: SecretBox, visible: Visible, id: string): Promise<rows.ExperienceRow> {
  return transact(db, async trx => {
    await rows.lockExperience(trx, visible, id)
    return rows.rotateSecret(trx, box, id)
  })
}
