// Takes deliveries back from their targets. One whose target is down is sealed and tried again later, without its task.
import {
  deliveriesTold,
  type ErasureLine,
  type ErasureRow,
  insertLines,
  readErasureLines,
  updateLine,
} from '#db/erasures/erasure-rows.ts'
import { type FailureRow, listFailures } from '#db/nouns/failure-rows.ts'
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
import {
  type Chain,
  chainFile,
  delivers,
  type Entry,
  loadStored,
  overallIndex,
  type Task,
} from '#tasks/entry/loaded.ts'
import type { TaskServices } from '#tasks/task-services.ts'
import { mayHaveArrived, mayHaveArrivedBefore } from './may-have-arrived.ts'
import { TRIED_DAYS, triedUntil } from './receipt.ts'

/** The first try is made while somebody waits for the answer. */
const FIRST_MS = 8_000
const LATER_MS = 60_000
/** Seconds before each further try; the last one repeats. */
const PAUSES = [5, 15, 30, 60, 120, 300, 900, 3_600, 6 * 3_600]

/** What takes one delivery away. */
interface TakingBack {
  /** What `deliver` returned or an attempt noted, or where it aimed; null: nothing is known to have arrived. */
  delivered: JsonObject | null
  /** Whether an attempt left something unfinished. */
  abandons: boolean
}

interface Known extends TakingBack {
  /** Whether a doubt is left when all that is known of it is gone. */
  isInDoubt: boolean
}

/** The same, for a process that has neither the task nor the person any more. */
interface SealedDelivery
  extends TakingBack,
    // Lines of an earlier version tell of no doubt.
    Partial<Pick<Known, 'isInDoubt'>>,
    Pick<DeliveryStep, 'options' | 'auth' | 'experienceId' | 'marker' | 'checkpoint'> {}

type Line = Omit<ErasureLine, 'created_at' | 'updated_at'>
type TakenBack = Pick<Line, 'state' | 'code' | 'reason'>

const removed: TakenBack = { state: 'removed', code: null, reason: null }
const kept = (code: string, reason: string): TakenBack => ({ state: 'kept', code, reason })
const unsure = (delivered: JsonObject | null): TakenBack =>
  kept(
    'unknown',
    delivered === null
      ? 'Whether it was delivered is not known: look there.'
      : 'What is known of it is gone. Whether an earlier run delivered it elsewhere is not known: look there.',
  )

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
  const failures = task.run > 1 ? await listFailures(services.db, task.task_id) : []
  const done = new Set(await deliveriesTold(services.db, erasure.erasure_id, task.task_id))
  for (const chain of task.chains)
    for (const entry of chain.entries) {
      const index = overallIndex(task, chain, entry.index)
      if (done.has(index)) continue
      if (signal.aborted) return false
      const line = await takeBack(services, { task, guests, failures }, chain, entry, { erasure, signal })
      if (line)
        await insertLines(services.db, [{ ...line, erasure_id: erasure.erasure_id, task_id: task.task_id, index }])
    }
  return true
}

type Delivery = Entry & { adapter: DestinationAdapter }
type Run = Parameters<typeof stepAfterDelivery>[1] & { failures: readonly FailureRow[] }

/** Null: nothing of it can lie anywhere. */
async function takeBack(
  services: TaskServices,
  run: Run,
  chain: Chain,
  entry: Entry,
  { erasure, signal }: { erasure: ErasureRow; signal: AbortSignal },
): Promise<Omit<Line, 'erasure_id' | 'task_id' | 'index'> | null> {
  const { task, failures } = run
  const { configuration, adapter_name, status, result, error, checkpoint } = entry
  const line = {
    what: 'delivery' as const,
    configuration,
    adapter_name,
    receiver: null,
    sealed: null,
    tries: 0,
    next_at: null,
  }
  const hasSucceeded = status === 'Succeeded'
  const mayLie = hasSucceeded ? result && !('success' in result) : checkpoint || error?.code === 'outcome_unknown'
  if (!entry.adapter && mayLie) return { ...line, ...kept('no_adapter', 'Its adapter is not installed any more.') }
  if (!delivers(entry)) return null
  const { adapter } = entry
  const before = (noted?: boolean): boolean => mayHaveArrivedBefore(entry, chain, task, failures, noted)
  if (entry.retracted_at !== null)
    return { ...line, ...(before(false) && mayLieElsewhere(entry) ? unsure(result ?? {}) : removed) }
  if (!hasSucceeded && checkpoint === null && !before() && !mayHaveArrived(entry, task, undefined)) return null
  if (hasSucceeded && !adapter.retract)
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
      { code: codeOf(failure), task_id: task.task_id, index: entry.index },
      'a delivery can’t be taken back: its configuration can’t be used',
    )
    return { ...line, ...kept('no_configuration', 'Its configuration can’t be read any more.') }
  }
  const known = knownOf(services, run, chain, { ...entry, adapter }, step)
  const { delivered, abandons, isInDoubt } = known
  const told = isInDoubt ? unsure(delivered) : delivered === null ? null : removed
  if (delivered === null && !abandons) return told && { ...line, ...told }
  const outcome = await tryToTake(services, adapter, step, known)
  // Where nothing may have arrived, nothing is told of.
  if (outcome.state !== 'pending') return told && { ...line, ...told }
  const { options, auth, experienceId, marker } = step
  const body: SealedDelivery = { ...known, options, auth, experienceId, marker, checkpoint: step.checkpoint }
  const row = sealedFor.erasureLine(erasure.erasure_id, task.task_id, overallIndex(task, chain, entry.index))
  return {
    ...line,
    ...outcome,
    sealed: services.secretBox.seal(JSON.stringify(body), row),
    tries: 1,
    next_at: pause(1),
  }
}

/** The place is that of this run. Before other files or options it was another one, and where none is fixed, every delivery has its own. */
const mayLieElsewhere = ({ generation, adapter }: Delivery): boolean => generation > 0 || !adapter.aims

function knownOf(
  { log }: Pick<TaskServices, 'log'>,
  { task, failures }: Pick<Run, 'task' | 'failures'>,
  chain: Chain,
  entry: Delivery,
  step: DeliveryStep,
): Known {
  const { adapter, status, result, checkpoint } = entry
  /** One that can’t tell has an answer all the same. */
  const ask = <T>(question: () => T, otherwise: T): T => {
    try {
      return question()
    } catch (failure) {
      const about = { code: codeOf(failure), adapter_name: adapter.name, task_id: task.task_id }
      log.warn(about, 'where a delivery lies can’t be told')
      return otherwise
    }
  }
  const canRetract = adapter.retract !== undefined
  const hasSucceeded = status === 'Succeeded'
  const made = hasSucceeded
    ? (result ?? {})
    : canRetract && checkpoint && ask(() => adapter.madeSoFar?.(step) ?? null, null)
  const noted = made ? false : checkpoint ? ask(() => adapter.isInDoubt?.(step), true) : undefined
  const before = mayHaveArrivedBefore(entry, chain, task, failures, noted)
  const mayBeThere = !made && (before || mayHaveArrived(entry, task, noted))
  const isNamed = canRetract && mayBeThere && hasInput(task, chain, entry)
  const aimed = isNamed ? ask(() => adapter.aims?.(step) ?? null, null) : null
  // Of a name that several tasks may have, nobody knows whose file lies there.
  const delivered = made || (aimed && JSON.stringify(aimed).includes(task.task_id) ? aimed : null)
  return {
    delivered,
    abandons: !hasSucceeded && checkpoint !== null && adapter.abandon !== undefined,
    isInDoubt: (before && mayLieElsewhere(entry)) || (mayBeThere && delivered === null),
  }
}

/** The name of a delivered file may hold the ending of its input, which a retry takes away until it is made again. */
function hasInput(task: Task, chain: Chain, { output, input_idx }: Entry): boolean {
  if (output) return true
  return input_idx === null ? chainFile(task, chain) !== null : Boolean(chain.entries[input_idx]?.output)
}

const silent = { code: 'destination_unreachable', title: catalogue.destination_unreachable.title }
const ours = { code: 'internal', title: 'It failed for a reason of our own' }

const codeOf = (failure: unknown): string => (isProblem(failure) ? failure.code : 'internal')

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
    const { delivered, abandons, isInDoubt, ...given } = JSON.parse(secretBox.open(sealed, row)) as SealedDelivery
    const { step } = deliveryStep(services, adapter, { ...given, signal: within(LATER_MS, signal) })
    const outcome = await tryToTake(services, adapter, step, { delivered, abandons })
    return outcome.state === 'removed' && isInDoubt ? unsure(delivered) : outcome
  }
}
