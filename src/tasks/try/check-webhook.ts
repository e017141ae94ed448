// Sends a signed test event to a webhook, in the form of a callback.
import { signatures } from '#callbacks/sign.ts'
import { webhookSecrets } from '#db/nouns/experience-rows.ts'
import type { CheckLine } from '#engine/adapter.ts'
import { Problem } from '#kit/errors.ts'
import { newId } from '#kit/ids.ts'
import type { TaskServices } from '../task-services.ts'

const TIMEOUT_MS = 15_000

export async function checkWebhook(
  { db, secretBox, outbound }: Pick<TaskServices, 'db' | 'secretBox' | 'outbound'>,
  experienceId: string,
  configuration: string,
  url: string,
): Promise<CheckLine> {
  const what = 'Webhook'
  const body = JSON.stringify({ type: 'keepsake.check', configuration })
  const id = newId()
  const timestamp = Math.floor(Date.now() / 1000)
  try {
    const response = await outbound.request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signatures(await webhookSecrets(db, secretBox, experienceId), id, timestamp, body),
      },
      body,
      timeoutMs: TIMEOUT_MS,
    })
    response.discard()
    const ok = response.status >= 200 && response.status < 300
    const then = ok ? '.' : '; a callback would not count as delivered.'
    return { ok, what, detail: `${new URL(url).host} answered ${response.status} to a signed test event${then}` }
  } catch (error) {
    if (error instanceof Problem) return { ok: false, what, detail: error.message }
    throw error
  }
}
