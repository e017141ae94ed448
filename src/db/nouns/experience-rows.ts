// Queries about experiences: created at the first use of their id, with the secret that signs their callbacks.
import type { Selectable } from 'kysely'
import type { GuestPage } from '#kit/guest/guest-page.ts'
import { newId } from '#kit/ids.ts'
import { newWebhookSecret, type SecretBox, sealedFor } from '#kit/secret/secrets.ts'
import { json, type Queries, type Trx } from '../database.ts'
import { newestFirst, type Page, type PageRequest } from '../page.ts'
import type { Tables } from '../tables.ts'
import { isVisible, requireFound, type Visible } from '../visible.ts'

export type ExperienceRow = Selectable<Tables['experiences']>
export type ExperienceSettings = Partial<
  Pick<
    ExperienceRow,
    'name' | 'max_running' | 'retention_days' | 'time_zone' | 'starts_at' | 'ends_at' | 'archived' | 'guest_page'
  >
>

const OLD_SECRET_MS = 24 * 3600_000

const seal = (box: SecretBox, id: string): Buffer => box.seal(newWebhookSecret(), sealedFor.experience(id))
const open = (box: SecretBox, id: string, sealed: Buffer): string => box.open(sealed, sealedFor.experience(id))

export async function ensureExperience(db: Queries, box: SecretBox, id: string): Promise<void> {
  const known = await db
    .selectFrom('experiences')
    .select('experience_id')
    .where('experience_id', '=', id)
    .executeTakeFirst()
  if (!known) await insertExperience(db, box, id, {})
}

const stored = ({ guest_page, ...settings }: ExperienceSettings) => ({
  ...settings,
  ...(guest_page === undefined ? {} : { guest_page: guest_page && json(guest_page) }),
})

/** Null: its guests have no page. */
export async function readGuestPage(db: Queries, id: string): Promise<GuestPage | null> {
  const row = await db.selectFrom('experiences').select('guest_page').where('experience_id', '=', id).executeTakeFirst()
  return row?.guest_page ?? null
}

/** Undefined if there is one already. */
export function insertExperience(
  db: Queries,
  box: SecretBox,
  id: string,
  settings: ExperienceSettings,
): Promise<ExperienceRow | undefined> {
  const now = new Date()
  const secret = { webhook_secret: seal(box, id), revision: newId() }
  return db
    .insertInto('experiences')
    .values({ experience_id: id, ...stored(settings), ...secret, created_at: now, updated_at: now })
    .onConflict(conflict => conflict.column('experience_id').doNothing())
    .returningAll()
    .executeTakeFirst()
}

export async function timeZoneOf(db: Queries, id: string): Promise<string | null> {
  const row = await db.selectFrom('experiences').select('time_zone').where('experience_id', '=', id).executeTakeFirst()
  return row?.time_zone ?? null
}

export const listExperiences = (
  db: Queries,
  visible: Visible,
  where: { archived?: boolean | undefined },
  page: PageRequest,
): Promise<Page<ExperienceRow>> => newestFirst(db, 'experiences', { page, visible, where })

async function findExperience(db: Queries, visible: Visible, id: string): Promise<ExperienceRow | undefined> {
  if (!isVisible(visible, id)) return undefined
  return db.selectFrom('experiences').selectAll().where('experience_id', '=', id).executeTakeFirst()
}

export const readExperience = async (db: Queries, visible: Visible, id: string): Promise<ExperienceRow> =>
  requireFound(await findExperience(db, visible, id), 'experience', id)

/** The same, and nobody else changes the experience until the transaction ends. */
export async function lockExperience(trx: Trx, visible: Visible, id: string): Promise<ExperienceRow> {
  if (isVisible(visible, id))
    await trx
      .selectFrom('experiences')
      .select('experience_id')
      .where('experience_id', '=', id)
      .forNoKeyUpdate()
      .execute()
  return readExperience(trx, visible, id)
}

export const updateExperience = (db: Queries, id: string, settings: ExperienceSettings): Promise<ExperienceRow> =>
  db
    .updateTable('experiences')
    .set({ ...stored(settings), revision: newId(), updated_at: new Date() })
    .where('experience_id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

/** The old secret keeps signing beside the new one for a day. */
export const rotateSecret = (db: Queries, box: SecretBox, id: string): Promise<ExperienceRow> =>
  db
    .updateTable('experiences')
    .set(eb => ({
      old_webhook_secret: eb.ref('webhook_secret'),
      old_webhook_secret_until: new Date(Date.now() + OLD_SECRET_MS),
      webhook_secret: seal(box, id),
      revision: newId(),
      updated_at: new Date(),
    }))
    .where('experience_id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

export const readWebhookSecret = (box: SecretBox, row: ExperienceRow): string =>
  open(box, row.experience_id, row.webhook_secret)

/** What an experience signs its callbacks with and adds to their headers, sealed; all null if it does not exist. */
export type SigningSecrets = Pick<
  ExperienceRow,
  'old_webhook_secret' | 'old_webhook_secret_until' | 'webhook_headers'
> & {
  webhook_secret: ExperienceRow['webhook_secret'] | null
}

/** Opens every secret that signs now, newest first. */
export function openSecrets(box: SecretBox, id: string, secrets: SigningSecrets): string[] {
  const { webhook_secret: current, old_webhook_secret: old, old_webhook_secret_until: until } = secrets
  const stillSigns = old !== null && until !== null && until > new Date()
  return [...(current ? [current] : []), ...(stillSigns ? [old] : [])].map(secret => open(box, id, secret))
}

const UNSIGNED: SigningSecrets = {
  webhook_secret: null,
  old_webhook_secret: null,
  old_webhook_secret_until: null,
  webhook_headers: null,
}

export const readSigningSecrets = async (db: Queries, id: string): Promise<SigningSecrets> =>
  (await findExperience(db, null, id)) ?? UNSIGNED
