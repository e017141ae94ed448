// Keepsakes: the code that a guest gets, the link made of it, and how long it holds.

import type { Db, Queries, Trx } from '#db/database.ts'
import { replaceKeepsakeLookups } from '#db/guests/keepsake-lookups.ts'
import { recordChange } from '#db/nouns/audit-rows.ts'
import {
  findFileByHash,
  findKeepsakeByHash,
  insertKeepsake,
  type KeepsakeRow,
  type OpenedFile,
  type OpenedKeepsake,
  readKeepsake,
  replaceCode,
  requireThere,
  takenBack,
  type WholeKeepsake,
} from '#db/nouns/keepsake-rows.ts'
import type { Lookup } from '#db/nouns/profiles-lookup.ts'
import { transact } from '#db/transact.ts'
import { requireVisible, type Visible } from '#db/visible.ts'
import type { Actor } from '#kit/actor.ts'
import { badField } from '#kit/errors.ts'
import type { GuestPage } from '#kit/guest/guest-page.ts'
import { newId } from '#kit/ids.ts'
import { isLinkCode, newLinkCode, type SecretBox, sealedFor, tokenHash } from '#kit/secret/secrets.ts'
import { publicUrlOf, type Settings } from '#kit/settings.ts'

const DAY_MS = 86_400_000

export type { OpenedKeepsake } from '#db/nouns/keepsake-rows.ts'

export interface GuestServices {
  db: Db
  secretBox: SecretBox
  settings: Pick<Settings, 'publicUrl' | 'host' | 'port' | 'keepFilesDays'>
}

interface Reserved {
  row: KeepsakeRow
  code: string
}

/** The code is looked for as its digest, so that the time it takes tells nothing of it. */
export const hashOf = (code: string): Buffer => tokenHash(`keepsake ${code}`)

function newCode(
  secretBox: SecretBox,
  keepsakeId: string,
): { code: string; stored: Pick<KeepsakeRow, 'code' | 'code_hash'> } {
  const code = newLinkCode()
  return { code, stored: { code_hash: hashOf(code), code: secretBox.seal(code, sealedFor.keepsake(keepsakeId)) } }
}

/** A new keepsake, not yet stored. */
export function newKeepsake({ secretBox }: Pick<GuestServices, 'secretBox'>, experience_id: string): Reserved {
  const keepsake_id = newId()
  const { code, stored } = newCode(secretBox, keepsake_id)
  const now = new Date()
  const views = { share_hash: null, visit_hash: null }
  return {
    row: {
      keepsake_id,
      experience_id,
      ...stored,
      ...views,
      used_at: now,
      created_at: now,
      consent: null,
      wall_state: 'waiting',
      erased_at: null,
    },
    code,
  }
}

/** Gives a keepsake another code, when the guest lost the first one. That opens nothing any more, nor do the links that were made of it. */
export async function reissueKeepsake(
  { db, secretBox, actor }: GuestServices & { actor: Actor },
  visible: Visible,
  id: string,
): Promise<Reserved> {
  return transact(db, async trx => {
    const row = await readKeepsake(trx, visible, id)
    requireThere(row)
    const { code, stored } = newCode(secretBox, id)
    await replaceCode(trx, { keepsake_id: id, ...stored })
    const { experience_id } = row
    const change = { action: 'reissue', object: 'keepsake', object_id: id, experience_id } as const
    await recordChange(trx, actor, { ...change, before: null, after: null })
    return { row: { ...row, ...stored, share_hash: null, visit_hash: null }, code }
  })
}

/** Reserves a keepsake before there is any media. */
export async function reserveKeepsake(
  services: GuestServices & { actor: Actor },
  visible: Visible,
  experience_id: string,
  page: GuestPage | null,
  lookups: readonly Lookup[] = [],
): Promise<Reserved> {
  requireVisible(visible, experience_id)
  if (!page?.enabled) throw badField('experience_id', `has no guest page: set guest_page.enabled of "${experience_id}"`)
  const reserved = newKeepsake(services, experience_id)
  await transact(services.db, async trx => {
    await insertKeepsake(trx, reserved.row)
    await replaceKeepsakeLookups(trx, reserved.row.keepsake_id, lookups)
    await recordMade(trx, services.actor, reserved.row)
  })
  return reserved
}

const recordMade = (trx: Trx, actor: Actor, { keepsake_id, experience_id }: KeepsakeRow): Promise<void> =>
  recordChange(trx, actor, {
    action: 'create',
    object: 'keepsake',
    object_id: keepsake_id,
    experience_id,
    before: null,
    after: { experience_id },
  })

/** What a code opens; undefined for one that opens nothing. A text that can be no code is looked for as well: both take the same time. */
async function findByCode(db: Queries, code: string): Promise<OpenedKeepsake | undefined> {
  const row = await findKeepsakeByHash(db, hashOf(code))
  return isLinkCode(code) ? row : undefined
}

/** What a code opens as a page: none where the experience has no pages, nor by a link that was passed on where guests may not pass on. */
export async function openPage(db: Queries, code: string): Promise<OpenedKeepsake | undefined> {
  const row = await findByCode(db, code)
  return row && isPage(row) ? row : undefined
}

/** The same with one of its files, in one query. */
export async function openFile(
  db: Queries,
  code: string,
  number: number,
): Promise<{ row: OpenedKeepsake; found: OpenedFile | undefined } | undefined> {
  const opened = await findFileByHash(db, hashOf(code), number)
  return opened && isLinkCode(code) && isPage(opened.row) ? opened : undefined
}

const isPage = ({ guest_page, openedBy }: OpenedKeepsake): boolean =>
  guest_page?.enabled === true && (openedBy !== 'share' || guest_page.share)

/** The keepsake that the part of a request names by its code. */
export async function namedKeepsake(
  { db, settings }: Pick<GuestServices, 'db' | 'settings'>,
  code: string,
  experienceId: string,
): Promise<WholeKeepsake> {
  const row = await findByCode(db, code)
  // Who was passed a link may look, and not add to the page.
  if (!row?.isOwner || row.experience_id !== experienceId)
    throw badField('keepsake', `is not the code of a keepsake of the experience "${experienceId}"`)
  if (row.erased_at) throw takenBack()
  if (isOver(row, settings)) throw badField('keepsake', 'is the code of a keepsake whose time is over')
  return row
}

/** When it ends, unless a further task takes it. */
export function endsAt(
  { used_at, guest_page, retention_days }: Pick<WholeKeepsake, 'used_at' | 'guest_page' | 'retention_days'>,
  { keepFilesDays }: { keepFilesDays: number },
): Date {
  const days = guest_page?.expires_days ?? retention_days ?? keepFilesDays
  return new Date(used_at.getTime() + days * DAY_MS)
}

export const isOver = (row: WholeKeepsake, settings: { keepFilesDays: number }): boolean =>
  endsAt(row, settings) < new Date()

export const linkTo = (settings: GuestServices['settings'], code: string): string =>
  `${publicUrlOf(settings)}/k/${code}`

/** The guest's own. */
export const ownCodeOf = (
  secretBox: SecretBox,
  { keepsake_id, code }: Pick<KeepsakeRow, 'keepsake_id' | 'code'>,
): string => secretBox.open(code, sealedFor.keepsake(keepsake_id))

/** The link to the page of a task; null where there is none. */
export async function guestUrlOf(
  { db, secretBox, settings }: { db: Queries } & Omit<GuestServices, 'db'>,
  { keepsake_id }: { keepsake_id: string | null },
): Promise<string | null> {
  if (keepsake_id === null) return null
  const row = await readKeepsake(db, null, keepsake_id)
  return row.guest_page?.enabled ? linkTo(settings, ownCodeOf(secretBox, row)) : null
}

/** The same as a field of an answer. */
export async function guestLink(
  services: GuestServices,
  task: { keepsake_id: string | null },
): Promise<{ guest_url?: string }> {
  const url = await guestUrlOf(services, task)
  return url === null ? {} : { guest_url: url }
}
