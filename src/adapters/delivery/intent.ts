// For targets that cannot say whether something arrived: what was meant is noted before it is sent, never sent twice.
import type { DeliveryStep } from '#engine/adapter.ts'
import { isObject, type JsonObject } from '#kit/json.ts'
import { doubtAfter } from './doubt.ts'
import { Answered, outcomeUnknown } from './failure.ts'

type Noting = Pick<DeliveryStep, 'checkpoint' | 'save'>

/**
 * Sends once. An error of which `isCertain` says that nothing was delivered may be tried again; any other leaves the
 * doubt, and the entry ends as `outcome_unknown`. So does an attempt whose forerunner died while it was sending.
 */
export async function sendOnce(
  step: Noting,
  target: string,
  send: () => Promise<JsonObject>,
  isCertain: (error: unknown) => boolean,
): Promise<JsonObject> {
  const { sending, result } = step.checkpoint ?? {}
  if (isObject(result)) return result as JsonObject
  if (sending === true) throw unknownAt(target)
  await step.save({ sending: true })
  const delivered = await send().catch(async (error: unknown) => {
    if (!isCertain(error)) throw error instanceof Answered ? doubtAfter(target, error) : unknownAt(target, error)
    await step.save({ sending: false })
    throw error
  })
  // A failure from here on says nothing about the delivery.
  await step.save({ sending: false, result: delivered })
  return delivered
}

/** For `isInDoubt` of an adapter that sends once: only what was noted as not sent is certain. */
export const mayBeSent = ({ checkpoint }: Pick<DeliveryStep, 'checkpoint'>): boolean =>
  checkpoint?.sending !== false || checkpoint.result !== undefined

const unknownAt = (target: string, cause?: unknown) =>
  outcomeUnknown(
    `The connection to ${target} ended before it confirmed the delivery, so it may or may not have arrived. Look there, then retry the task if it is missing.`,
    cause,
  )
