// Sends a signed test event to a webhook, in the form of a callback.
import { callbackHeaders } from '#callbacks/callback-headers.ts'
import { readSigningSecrets } from '#db/nouns/experience-rows.ts'
import type { CheckLine } from '#engine/adapter.ts'
import { Problem } from '#kit/errors.ts'
import { newId } from '#kit/ids.ts'
import type { TaskServices } from '../task-services.ts'

const TIMEOUT_MS = 15_000

/** Receivers rely on it as on the bodies of callbacks. */
export const checkBody = (configuration: string): string => JSON.stringify({ type: 'keepsake.check', configuration })

export async function checkWebhook(
  { db, secretBox, outbound }: Pick<TaskServices, 'db' | 'secretBox' | 'outbound'>,
  experienceId: string,
  configuration: string,
  url: string,
): Promise<CheckLine> {
  const what = 'Webhook'
  const body = checkBody(configuration)
  try {
    const response = await outbound.request(url, {
      method: 'POST',
      headers: callbackHeaders(
        secretBox,
        { id: newId(), event: 'check', experienceId, url, body },
        await readSigningSecrets(db, experienceId),
      ),
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
