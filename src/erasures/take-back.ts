// Takes deliveries back from their targets. One whose target is down is sealed and tried again later, without its task.
import type { Queries } from '#db/database.ts'
import {
  type ErasureLine,
  type ErasureRow,
  insertLines,
  readErasureLines,
  updateLine,
} from '#db/erasures/erasure-rows.ts'
import type { WholeTask } from '#db/tasks/task-rows.ts'
import type { DeliveryStep, DestinationAdapter } from '#engine/adapter.ts'
import { catalogue, isProblem } from '#kit/errors.ts'
import { failpoint } from '#kit/failpoint.ts'
import { interruptible } from '#kit/interruptible.ts'
import type { JsonObject } from '#kit/json.ts'
import { sealedFor } from '#kit/secret/secrets.ts'
import { stepAfterDelivery } from '#tasks/end/step-after-delivery.ts'
import { deliveryStep } from '#tasks/entry/delivery-step.ts'
import { guestsOf } from '#tasks/entry/guests.ts'
import { type Chain, delivers, type Entry, loadStored, overallIndex, type Task } from '#tasks/entry/loaded.ts'
import type { TaskServices } from '#tasks/task-services.ts'
import { TRIED_DAYS, triedUntil } from './receipt.ts'

/** The first try is made while somebody waits for the answer. */
const FIRST_MS = 8_000
const LATER_MS = 60_000
/** Seconds before each further try; the last one repeats. */
const PAUSES = [5, 15, 30, 60, 120, 300, 900, 3_600, 6 * 3_600]

/** What takes one delivery away. */
interface TakingBack {
  /** What `deliver` returned, or where it aimed; null: nothing is known to have arrived. */
  delivered: JsonObject | null
  /** Whether an attempt left something unfinished. */
  abandons: boolean
}

/** The same, for a process that has neither the task nor the person any more. */
interface SealedDelivery
  extends TakingBack,
    Pick<DeliveryStep, 'options' | 'auth' | 'experienceId' | 'marker' | 'checkpoint'> {}

type Line = Omit<ErasureLine, 'created_at' | 'updated_at'>
type TakenBack = Pick<Line, 'state' | 'code' | 'reason'>

const removed: TakenBack = { state: 'removed', code: null, reason: null }
const kept = (code: string, reason: string): TakenBack => ({ state: 'kept', code, reason })

/** Why what it delivered stays where it is. */
const lasting: Record<string, string> = {
  email_send: 'A mail that was sent can’t be taken back.',
  message_send: 'A message that was sent can’t be taken back.',
  print_ipp: 'What was printed is on paper.',
  http_post: 'What was posted lies with its receiver.',
}

/**
 * Every delivery of a task gets its line, written as soon as it is known. Those that have one were done before a crash. False if there was no
 * time for some.
 */
export async function takeBackTask(
  services: TaskServices,
  erasure: ErasureRow,
  stored: WholeTask,
  signal: AbortSignal,
): Promise<boolean> {
  const task = await loadStored(services.db, services.adapters, stored)
  const guests = await guestsOf(services, task)
  const done = await linesOfTask(services.db, erasure, task)
  for (const chain of task.chains)
    for (const entry of chain.entries) {
      const index = overallIndex(task, chain, entry.index)
      if (done.has(index)) continue
      if (signal.aborted) return false
      const line = await takeBack(services, { task, guests }, chain, entry, { erasure, signal })
      if (line)
        await insertLines(services.db, [{ ...line, erasure_id: erasure.erasure_id, task_id: task.task_id, index }])
    }
  return true
}

async function linesOfTask(db: Queries, { erasure_id }: ErasureRow, { task_id }: Task): Promise<Set<number>> {
  const lines = await readErasureLines(db, erasure_id)
  return new Set(lines.filter(line => line.what === 'delivery' && line.task_id === task_id).map(({ index }) => index))
}

/** Null: nothing of it can lie anywhere. */
async function takeBack(
  services: TaskServices,
  run: Parameters<typeof stepAfterDelivery>[1],
  chain: Chain,
  entry: Entry,
  { erasure, signal }: { erasure: ErasureRow; signal: AbortSignal },
): Promise<Omit<Line, 'erasure_id' | 'task_id' | 'index'> | null> {
  const { configuration, adapter_name, status, result, error } = entry
  const line = {
    what: 'delivery' as const,
    configuration,
    adapter_name,
    receiver: null,
    sealed: null,
    tries: 0,
    next_at: null,
  }
  if (!entry.adapter && status === 'Succeeded' && result && !('success' in result))
    return { ...line, ...kept('no_adapter', 'Its adapter is not installed any more.') }
  if (!delivers(entry)) return null
  if (entry.retracted_at !== null) return { ...line, ...removed }
  const wasBegun = entry.started_at !== null
  const isUnknown = error?.code === 'outcome_unknown'
  if (status !== 'Succeeded' && !wasBegun && entry.checkpoint === null) return null
  const { adapter } = entry
  const unsure = kept('unknown', 'Whether it was delivered is not known: look there.')
  if (status === 'Succeeded' && !adapter.retract)
    return {
      ...line,
      ...kept('lasting', lasting[adapter_name] ?? `${adapter_name} can’t take back what it delivered.`),
    }
  let step: DeliveryStep
  try {
    const after = stepAfterDelivery(services, run, chain, entry, { signal: within(FIRST_MS, signal) })
    if (!after) return { ...line, ...kept('no_configuration', 'Its configuration can’t be read any more.') }
    step = after.step
  } catch (failure) {
    services.log.warn(
      { code: isProblem(failure) ? failure.code : 'internal', task_id: run.task.task_id, index: entry.index },
      'a delivery can’t be taken back: its configuration can’t be used',
    )
    return { ...line, ...kept('no_configuration', 'Its configuration can’t be read any more.') }
  }
  const abandons = status !== 'Succeeded' && entry.checkpoint !== null && adapter.abandon !== undefined
  // Of a name that several tasks may have, nobody knows whose file lies there.
  const aimed = status === 'Cancelled' && wasBegun && adapter.retract ? (adapter.aims?.(step) ?? null) : null
  const isOurs = aimed !== null && JSON.stringify(aimed).includes(run.task.task_id)
  const delivered = status === 'Succeeded' ? (result ?? null) : isOurs ? aimed : null
  if (delivered === null && !abandons)
    return isUnknown || (status === 'Cancelled' && wasBegun) ? { ...line, ...unsure } : null
  const outcome = await tryToTake(services, adapter, step, { delivered, abandons })
  if (outcome.state === 'pending') {
    const { options, auth, experienceId, marker, checkpoint } = step
    const body: SealedDelivery = { delivered, abandons, options, auth, experienceId, marker, checkpoint }
    const index = overallIndex(run.task, chain, entry.index)
    const row = sealedFor.erasureLine(erasure.erasure_id, run.task.task_id, index)
    return {
      ...line,
      ...outcome,
      sealed: services.secretBox.seal(JSON.stringify(body), row),
      tries: 1,
      next_at: pause(1),
    }
  }
  if (isUnknown || (status === 'Cancelled' && delivered === null)) return { ...line, ...unsure }
  // Where nothing may have arrived, nothing is told of.
  return status === 'Succeeded' || delivered !== null ? { ...line, ...outcome } : null
}

const silent = { code: 'destination_unreachable', title: catalogue.destination_unreachable.title }
const ours = { code: 'internal', title: 'It failed for a reason of our own' }

async function tryToTake(
  { log }: Pick<TaskServices, 'log'>,
  adapter: DestinationAdapter,
  step: DeliveryStep,
  { delivered, abandons }: TakingBack,
): Promise<TakenBack> {
  const take = async () => {
    if (abandons) await adapter.abandon?.(step)
    if (delivered !== null) await adapter.retract?.(delivered, step)
  }
  try {
    failpoint('erase_target.before')
    // An adapter that does not listen to the signal holds nobody up.
    await interruptible(take(), step.signal)
    failpoint('erase_target.after')
    return removed
  } catch (error) {
    // The words of a target may name the person, so only their kind is kept.
    const { code, title } = isProblem(error) ? error : step.signal.aborted ? silent : ours
    log.warn({ code, adapter_name: adapter.name, marker: step.marker }, 'a delivery could not be taken back yet')
    return { state: 'pending', code, reason: `${title}.` }
  }
}

const pause = (tries: number): Date =>
  new Date(Date.now() + (PAUSES[Math.min(tries, PAUSES.length) - 1] as number) * 1_000)

const within = (ms: number, signal: AbortSignal): AbortSignal => AbortSignal.any([AbortSignal.timeout(ms), signal])

/** Tries what is due of the targets that could not be reached before, as long as there is time. */
export async function tryAgain(services: TaskServices, erasure: ErasureRow, signal: AbortSignal): Promise<void> {
  const { db, adapters, secretBox } = services
  const late = performance.now() + LATER_MS
  const lines = await readErasureLines(db, erasure.erasure_id)
  for (const line of lines.filter(({ state, next_at }) => state === 'pending' && next_at && next_at <= new Date())) {
    if (signal.aborted || performance.now() > late) return
    const outcome = await again(line)
    // Cut off by us: that was no try.
    if (outcome.state === 'pending' && signal.aborted) return
    const isOver = outcome.state === 'pending' && triedUntil(erasure) <= new Date()
    const tries = line.tries + 1
    const given: TakenBack = isOver
      ? kept('given_up', `Its target could not be reached in ${TRIED_DAYS} days. It is not tried any more.`)
      : outcome
    const isPending = given.state === 'pending'
    await updateLine(db, line, {
      ...given,
      tries,
      sealed: isPending ? line.sealed : null,
      next_at: isPending ? pause(tries) : null,
    })
  }

  async function again({ erasure_id, task_id, index, adapter_name, sealed }: ErasureLine): Promise<TakenBack> {
    const adapter = adapters.get(adapter_name ?? '')
    if (!sealed || !adapter || !('deliver' in adapter))
      return { state: 'pending', code: 'no_adapter', reason: 'Its adapter is not installed here.' }
    const row = sealedFor.erasureLine(erasure_id, task_id, index)
    const { delivered, abandons, ...given } = JSON.parse(secretBox.open(sealed, row)) as SealedDelivery
    const { step } = deliveryStep(services, adapter, { ...given, signal: within(LATER_MS, signal) })
    return tryToTake(services, adapter, step, { delivered, abandons })
  }
}
