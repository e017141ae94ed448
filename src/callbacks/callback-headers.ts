// The headers of a request to a webhook: what it tells of, whose it is, its signature, and those of the receiver's own.
import { Webhook } from 'standardwebhooks'
import { openSecrets, type SigningSecrets } from '#db/nouns/experience-rows.ts'
import { openWebhookHeaders } from '#db/nouns/webhook-headers.ts'
import type { CallbackEvent } from '#db/tables.ts'
import type { SecretBox } from '#kit/secret/secrets.ts'

interface Message {
  /** The `webhook-id`. */
  id: string
  /** A `check` is sent by hand, to try a webhook; it is kept nowhere. */
  event: CallbackEvent | 'check'
  experienceId: string
  url: string
  body: string
}

export function callbackHeaders(
  box: SecretBox,
  { id, event, experienceId, url, body }: Message,
  secrets: SigningSecrets,
): Record<string, string> {
  const timestamp = Math.floor(Date.now() / 1000)
  const { origin } = new URL(url)
  const own = openWebhookHeaders(box, experienceId, secrets.webhook_headers).find(each => each.origin === origin)
  return {
    ...own?.headers,
    'content-type': 'application/json',
    'user-agent': 'Keepsake',
    'keepsake-event': event,
    // Any text may be an id, but not stand in a header.
    'keepsake-experience': encodeURIComponent(experienceId),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures(openSecrets(box, experienceId, secrets), id, timestamp, body),
  }
}

/** As Standard Webhooks requires: one signature for each valid secret. */
export const signatures = (secrets: readonly string[], id: string, timestamp: number, body: string): string =>
  secrets.map(secret => new Webhook(secret).sign(id, new Date(timestamp * 1000), body)).join(' ')
