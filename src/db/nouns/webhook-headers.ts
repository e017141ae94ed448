// The headers that an experience adds to its callbacks, by origin: sealed as one value.
import type { SecretBox } from '#kit/secret/secrets.ts'
import { sealedFor } from '#kit/secret/secrets.ts'
import type { Trx } from '../database.ts'
import type { ExperienceRow } from './experience-rows.ts'

export interface WebhookHeaders {
  /** Scheme, host and port, as `URL.origin` writes them. */
  origin: string
  headers: Record<string, string>
}

export const openWebhookHeaders = (box: SecretBox, experienceId: string, sealed: Buffer | null): WebhookHeaders[] =>
  sealed === null ? [] : (JSON.parse(box.open(sealed, sealedFor.webhookHeaders(experienceId))) as WebhookHeaders[])

export const sealWebhookHeaders = (
  box: SecretBox,
  experienceId: string,
  list: readonly WebhookHeaders[],
): Buffer | null => (list.length === 0 ? null : box.seal(JSON.stringify(list), sealedFor.webhookHeaders(experienceId)))

/** Locks the experience: what is kept of its headers stays as it was read until the transaction ends. */
export async function lockWebhookHeaders(trx: Trx, experienceId: string): Promise<Buffer | null> {
  const row = await trx
    .selectFrom('experiences')
    .select('webhook_headers')
    .where('experience_id', '=', experienceId)
    .forUpdate()
    .executeTakeFirst()
  return row?.webhook_headers ?? null
}

export const updateWebhookHeaders = (
  trx: Trx,
  experienceId: string,
  webhook_headers: Buffer | null,
): Promise<ExperienceRow | undefined> =>
  trx
    .updateTable('experiences')
    .set({ webhook_headers, updated_at: new Date() })
    .where('experience_id', '=', experienceId)
    .returningAll()
    .executeTakeFirst()
