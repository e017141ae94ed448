// Makes experiences, and changes those that the caller may see.
import type { Db, Trx } from '#db/database.ts'
import { currentAssets } from '#db/nouns/asset-files.ts'
import { recordChange } from '#db/nouns/audit-rows.ts'
import * as rows from '#db/nouns/experience-rows.ts'
import type { AuditAction } from '#db/tables.ts'
import { transact } from '#db/transact.ts'
import { requireVisible, type Visible } from '#db/visible.ts'
import type { Actor } from '#kit/actor.ts'
import { badField, Problem } from '#kit/errors.ts'
import { anything, type Expect } from '#kit/expect.ts'
import { type GuestPage, plainGuestPage } from '#kit/guest/guest-page.ts'
import { stableJson } from '#kit/json.ts'
import { MASK } from '#kit/mask.ts'
import type { SecretBox } from '#kit/secret/secrets.ts'

/** As a request gives them: of the guests' pages only what changes. */
export type NewSettings = Omit<rows.ExperienceSettings, 'guest_page'> & { guest_page?: Partial<GuestPage> | null }

interface ExperienceServices {
  db: Db
  secretBox: SecretBox
  actor: Actor
}

/** Elsewhere an experience is made at the first use of its id; here it must be a new one. */
export async function createExperience(
  { db, secretBox, actor }: ExperienceServices,
  visible: Visible,
  id: string,
  written: NewSettings,
): Promise<rows.ExperienceRow> {
  requireVisible(visible, id)
  return transact(db, async trx => {
    const settings = await checked(trx, id, null, written)
    const row = await rows.insertExperience(trx, secretBox, id, settings)
    if (!row) throw new Problem('name_taken', `There is an experience "${id}" already.`)
    await record(trx, actor, 'create', null, row)
    return row
  })
}

/** Only names: `DateTimeFormat` takes offsets like +02:00 as well, which know nothing of summer time. */
const ZONE = /^[A-Za-z][\w+/-]{0,63}$/

/** The settings as they are stored: what a request leaves out of the pages stays as it was. */
async function checked(
  trx: Trx,
  id: string,
  stored: rows.ExperienceRow | null,
  { guest_page: changes, ...rest }: NewSettings,
): Promise<rows.ExperienceSettings> {
  checkSettings({ ...stored, ...rest })
  if (changes === undefined) return rest
  const guest_page = changes && { ...plainGuestPage, ...stored?.guest_page, ...changes }
  const logo = guest_page?.logo_file_name
  if (logo) {
    const [file] = Object.values(await currentAssets(trx, id, [logo]))
    if (file?.medium !== 'image')
      throw badField('guest_page.logo_file_name', `there is no picture "${logo}" among the assets of "${id}"`)
  }
  return { ...rest, guest_page }
}

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
  { db, actor }: ExperienceServices,
  visible: Visible,
  id: string,
  settings: NewSettings,
  { expect = anything, also }: { expect?: Expect<rows.ExperienceRow>; also?: (trx: Trx) => Promise<void> } = {},
): Promise<rows.ExperienceRow> {
  return transact(db, trx => change(trx, actor, visible, id, settings, { expect, also }))
}

interface Changing {
  expect?: Expect<rows.ExperienceRow>
  also?: ((trx: Trx) => Promise<void>) | undefined
}

async function change(
  trx: Trx,
  actor: Actor,
  visible: Visible,
  id: string,
  written: NewSettings,
  { expect = anything, also }: Changing,
): Promise<rows.ExperienceRow> {
  const stored = await rows.lockExperience(trx, visible, id)
  expect(stored)
  const settings = await checked(trx, id, stored, written)
  await also?.(trx)
  if (!also && stableJson({ ...stored, ...settings }) === stableJson(stored)) return stored
  const row = await rows.updateExperience(trx, id, settings)
  await record(trx, actor, 'update', stored, row)
  return row
}

/** Makes the experience or changes its settings, inside of a transaction. */
export async function putExperience(
  trx: Trx,
  { secretBox, actor }: Pick<ExperienceServices, 'secretBox' | 'actor'>,
  visible: Visible,
  id: string,
  written: NewSettings,
): Promise<{ before: rows.ExperienceRow | null; after: rows.ExperienceRow }> {
  requireVisible(visible, id)
  const made = await rows.insertExperience(trx, secretBox, id, await checked(trx, id, null, written))
  if (made) {
    await record(trx, actor, 'create', null, made)
    return { before: null, after: made }
  }
  const before = await rows.lockExperience(trx, visible, id)
  return { before, after: await change(trx, actor, visible, id, written, {}) }
}

export async function rotateSecret(
  { db, secretBox, actor }: ExperienceServices,
  visible: Visible,
  id: string,
): Promise<rows.ExperienceRow> {
  return transact(db, async trx => {
    const stored = await rows.lockExperience(trx, visible, id)
    const row = await rows.rotateSecret(trx, secretBox, id)
    await record(trx, actor, 'rotate_secret', stored, row)
    return row
  })
}

/** The settings, without any secret. */
const told = (row: rows.ExperienceRow) => ({
  name: row.name,
  max_running: row.max_running,
  retention_days: row.retention_days,
  time_zone: row.time_zone,
  starts_at: row.starts_at,
  ends_at: row.ends_at,
  archived: row.archived,
  guest_page: row.guest_page,
  webhook_secret: MASK,
  // Only whether there are any: their values are secrets.
  webhook_headers: row.webhook_headers === null ? null : MASK,
})

const record = (
  trx: Trx,
  actor: Actor,
  action: AuditAction,
  before: rows.ExperienceRow | null,
  after: rows.ExperienceRow,
): Promise<void> => {
  const { experience_id } = after
  const change = { action, object: 'experience', object_id: experience_id, experience_id } as const
  return recordChange(trx, actor, { ...change, before: before && told(before), after: told(after) })
}
