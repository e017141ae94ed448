// Makes one attempt at a callback, and acts on the receiver's response.

import type { Db } from '#db/database.ts'
import { type ClaimedCallback, claimCallback, claimCallbacks, recordAttempt } from '#db/nouns/callback-rows.ts'
import { retryWhileAway } from '#db/retry-while-away.ts'
import { transact } from '#db/transact.ts'
import { Problem } from '#kit/errors.ts'
import { failpoint } from '#kit/failpoint.ts'
import type { Log } from '#kit/log.ts'
import { retryAfterSeconds } from '#kit/net/answer.ts'
import type { Outbound } from '#kit/net/outbound.ts'
import type { SecretBox } from '#kit/secret/secrets.ts'
import type { Settings } from '#kit/settings.ts'
import type { Meters } from '#kit/telemetry/meters.ts'
import type { Span, Tracer } from '#kit/telemetry/trace.ts'
import type { Job, Queue } from '#queue/queue.ts'
import { callbackHeaders } from './callback-headers.ts'
import { verdict } from './schedule.ts'

interface CallbackServices {
  db: Db
  queue: Queue
  outbound: Outbound
  secretBox: SecretBox
  settings: Settings
  log: Log
  meters: Meters
  tracer: Tracer
  workerId: string
}

const TIMEOUT_MS = 15_000

interface Answer {
  status_code: number | null
  error: string | null
  retryAfterSeconds: number | null
}

/** Takes callbacks out of their lane for this worker: see `queue.take`. */
export async function takeCallbacks(
  { queue, workerId }: CallbackServices,
  count: number,
  fullShares: readonly string[],
): Promise<{ jobs: number; taken: { job: Job<'callback'>; callback: ClaimedCallback }[] }> {
  return queue.take('callback', count, fullShares, async (trx, jobs) => {
    const wanted = jobs.map(({ id, data }) => ({ callback_id: data.callback_id, job_id: id }))
    const { claimed, held } = await claimCallbacks(trx, wanted, workerId)
    const callbacks = new Map(claimed.map(each => [each.callback_id, each]))
    const taken = jobs.flatMap(job => {
      const callback = callbacks.get(job.data.callback_id)
      return callback ? [{ job, callback }] : []
    })
    return { taken, held }
  })
}

/** Attempts the callback if it still belongs to that job. */
export async function attemptIfThere(services: CallbackServices, callback_id: string, job_id: string): Promise<void> {
  const { db, workerId } = services
  const callback = await retryWhileAway(() => claimCallback(db, { callback_id, job_id }, workerId))
  if (callback) await attemptCallback(services, callback)
}

/** Makes one attempt at a callback that this worker has claimed. */
export async function attemptCallback(services: CallbackServices, callback: ClaimedCallback): Promise<void> {
  const { db, queue, settings, meters } = services
  const { callback_id } = callback
  const span = services.tracer.begin('callback', callback.traceparent, {
    kind: 'client',
    attributes: {
      'keepsake.callback_id': callback_id,
      'keepsake.task_id': callback.task_id,
      'keepsake.attempt': callback.attempt_count + 1,
      'http.request.method': 'POST',
    },
  })
  const at = new Date()
  const begun = performance.now()
  failpoint('callback_post.before')
  const answer = await post(services, callback, span)
  endSpan(span, answer)
  failpoint('callback_post.after')
  const duration_ms = Math.round(performance.now() - begun)
  const next = verdict(answer, callback.attempt_count, settings.callbackDelays)
  const ticket =
    next.status === 'Waiting' ? await retryWhileAway(() => queue.takeTicket('callback', callback.receiver)) : null
  const attempt = { at, duration_ms, status_code: answer.status_code, error: answer.error }
  failpoint('callback_record.before')
  const attempted = { callback_id, attemptedBy: callback.job_id, status: next.status }
  if (ticket && next.status === 'Waiting') {
    // Our clock may be set at any moment: only what is left to wait counts.
    const due = () => new Date(Date.now() + next.delayMs)
    await retryWhileAway(() =>
      transact(db, async trx => {
        const isOurs = await recordAttempt(trx, { ...attempted, next: { at: due(), job_id: ticket.id } }, attempt)
        if (isOurs) await queue.send(trx, ticket, { callback_id }, { at: due() })
      }),
    )
  } else await retryWhileAway(() => recordAttempt(db, { ...attempted, next: null }, attempt))
  failpoint('callback_record.after')
  meters.count('callbacks', { outcome: outcomes[next.status] })
  meters.observe('callbackSeconds', {}, duration_ms / 1000)
  services.log.info(
    {
      callback_id,
      task_id: callback.task_id,
      status: next.status,
      status_code: answer.status_code,
    },
    'callback attempted',
  )
}

const outcomes = { Delivered: 'delivered', Waiting: 'retried', GivenUp: 'given_up' } as const

function endSpan(span: Span, { status_code, error }: Answer): void {
  if (status_code !== null) span.set({ 'http.response.status_code': status_code })
  if (error !== null) span.fail(status_code === null ? 'unreachable' : String(status_code))
  span.end()
}

async function post(
  { outbound, secretBox, log }: CallbackServices,
  callback: ClaimedCallback,
  span: Span,
): Promise<Answer> {
  try {
    const { callback_id: id, experience_id: experienceId, event, url, body } = callback
    const response = await outbound.repeatable(url, {
      method: 'POST',
      headers: {
        ...callbackHeaders(secretBox, { id, event, experienceId, url, body }, callback),
        ...(span.traceparent === null ? {} : { traceparent: span.traceparent }),
      },
      body,
      timeoutMs: TIMEOUT_MS,
    })
    // The response body is not needed. But the receiver gets no further callback before this connection is done.
    await response.discard()
    const delivered = response.status >= 200 && response.status < 300
    return {
      status_code: response.status,
      error: delivered ? null : `The receiver answered ${response.status}.`,
      retryAfterSeconds: retryAfterSeconds(response.headers) ?? null,
    }
  } catch (error) {
    if (error instanceof Problem) return { status_code: null, error: error.message, retryAfterSeconds: null }
    // A signing secret that cannot be opened, for example: in the end the callback is given up, and can be sent again.
    log.error({ err: error, callback_id: callback.callback_id }, 'a callback could not be sent')
    return {
      status_code: null,
      error: 'It could not be sent; the log of the worker says why.',
      retryAfterSeconds: null,
    }
  }
}
