// The life of one task in a worker. Start reading here. The steps in order, and where each one is:
//   claim     takeTasks, below: takes the job out of the queue and claims the task for this worker, in one transaction
//   load      loadStored in entry/loaded.ts sorts the extras and finds adapters and configurations; guestsOf looks up the guests
//   fetch     chain-input.ts: finds the file each chain starts from
//   plan      engine/plan.ts: groups the chain's entries into segments
//   run       run-chain.ts schedules the segments; run-segment.ts runs one and decides how its entries end,
//             by run-transformers.ts (a media child: engine/children/media.ts, media/process/pool.ts; inside of it child-parts.ts,
//             engine/run-request.ts, run-image.ts or run-video.ts) or run-destination.ts (a delivery)
//   store     run-transformers.ts: puts the file into the blob store
//   record    run-segment.ts: writes how its entries ended, fenced by the claim
//   end       end-the-rest.ts: ends the entries not reached; end/abandon.ts: removes what unfinished deliveries left at their targets
//   finish    end/finish.ts: writes activities, the callback's body and the final state, in one transaction
//   tell      callbacks/attempt.ts: signs and sends the callback; the courier in worker/worker.ts does so at once where there is room
import { randomUUID } from 'node:crypto'
import { isConnectionError } from '#db/away.ts'
import { retryWhileAway } from '#db/retry-while-away.ts'
import type { TaskLane } from '#db/tables.ts'
import { ClaimLost, endChain } from '#db/tasks/entry-rows.ts'
import { type Claimed, claimTasks } from '#db/tasks/task-claims.ts'
import { type WholeTask, wholeTask } from '#db/tasks/task-rows.ts'
import { cancellation, Problem } from '#kit/errors.ts'
import { type Span, within } from '#kit/telemetry/trace.ts'
import type { Job } from '#queue/queue.ts'
import { newWorkFolder } from '#storage/work-folders.ts'
import { abandonDeliveries } from '../end/abandon.ts'
import { type Courier, chainStatus, finishTask } from '../end/finish.ts'
import { experienceOf } from '../entry/fleet.ts'
import { guestsOf, noGuests } from '../entry/guests.ts'
import {
  type Chain,
  hasEnded,
  isThrough,
  type Loaded,
  loadStored,
  loadTask,
  type RunServices,
  type Task,
  takenFrom,
  withChain,
} from '../entry/loaded.ts'
import { endTheRest } from './end-the-rest.ts'
import { interrupted } from './interrupted.ts'
import { done, failed, outcomeOf, type Retry, retryAt } from './outcome.ts'
import { handBack, putOff } from './release.ts'
import type { Run, RunSlots } from './run.ts'
import { type Ran, runChain, skipChain } from './run-chain.ts'
import { newClock } from './work-clock.ts'

/** Takes tasks out of a lane for this worker: see `queue.take`. */
export async function takeTasks(
  { queue, workerId }: RunServices,
  lane: TaskLane,
  count: number,
  fullShares: readonly string[],
): Promise<{ jobs: number; taken: { job: Job<TaskLane>; task: Claimed }[] }> {
  return queue.take(lane, count, fullShares, async (trx, jobs) => {
    const wanted = jobs.map(({ id, data, share }) => ({
      task_id: data.task_id,
      job_id: id,
      experience_id: experienceOf(share),
      claim: randomUUID(),
    }))
    const { claimed, held } = await claimTasks(trx, wanted, workerId)
    const tasks = new Map(claimed.map(task => [task.task_id, task]))
    const taken = jobs.flatMap(job => {
      const task = tasks.get(job.data.task_id)
      return task ? [{ job, task }] : []
    })
    return { taken, held }
  })
}

/** Runs a claimed task to its end, or as far as it can get now. Never throws for an error of the task. */
export async function runTask(
  services: RunServices,
  courier: Courier,
  claimed: Claimed,
  slots: RunSlots,
  controller: AbortController,
  span: Span,
): Promise<void> {
  const { db, adapters, settings, log } = services
  const { task_id } = claimed
  const { signal } = controller
  if (claimed.cancel_requested) controller.abort(cancellation())
  const clock = newClock(settings.maxTaskSeconds - claimed.spent_seconds, () =>
    controller.abort(taskTimeUp(settings.maxTaskSeconds)),
  )
  try {
    await using folder = await newWorkFolder(settings.data)
    const task = await retryWhileAway(() => loadStored(db, adapters, claimed))
    const guests = await retryWhileAway(() => guestsOf(services, task))
    const run: Run = { services, task, guests, folder: folder.path, signal, claim: claimed, clock, slots, span }
    await settle(await runChains(run), guests)
  } catch (error) {
    const outcome = outcomeOf(error, controller)
    if (outcome) await settle({ task: loadTask(adapters, claimed, new Map()), outcome })
    // The run was cut off before it could record its end. The next worker that claims the task ends it.
    else if (signal.aborted) {
      log.error({ err: error, task_id }, 'the end of a task that was cut off could not be written')
      await unended(error)
    } else await afterInterruption(error)
  } finally {
    clock.stop()
  }

  /** Ends, releases or hands back the task, as the outcome says. */
  async function settle({ task, outcome }: Ran, guests: Loaded['guests'] = noGuests): Promise<void> {
    span.set({ 'keepsake.outcome': outcome.is })
    switch (outcome.is) {
      case 'lost':
        return log.warn({ task_id }, 'the task has ended, or another worker took it over')
      case 'let go':
        return retryWhileAway(() => handBack(services, claimed, { seconds: clock.spent() }))
      case 'retry':
        return later(outcome)
      default: {
        const over = await retryWhileAway(() => endTheRest(services, task, signal.reason))
        await abandonDeliveries(services, { task: over, guests })
        await finish(over)
      }
    }
  }

  async function later(retry: Retry, rescues = 0): Promise<void> {
    await retryWhileAway(() => putOff(services, claimed, retry, { seconds: clock.spent(), rescues }))
  }

  async function finish(task: Task, bare = false): Promise<void> {
    const ending = { task, counted: claimed.counted, spentSeconds: clock.spent(), bare }
    const ended = await within(span.child('finish'), () => retryWhileAway(() => finishTask(services, ending, courier)))
    span.set({ 'keepsake.status': ended.status })
    if (ended.status === 'Failed') span.fail(firstCode(ended))
  }

  /** The task as it is stored; null if this worker lost the claim. */
  async function stored(): Promise<Task | null> {
    const row = await retryWhileAway(() => wholeTask(db, task_id))
    return row?.claim === claimed.claim ? retryWhileAway(() => loadStored(db, adapters, row)) : null
  }

  /** An error outside of all entries is counted against the first open entry. */
  async function afterInterruption(error: unknown): Promise<void> {
    try {
      const before = await stored()
      if (before) await settle(await interrupted(services, before, error))
    } catch (again) {
      if (again instanceof ClaimLost) return
      log.error({ err: again, task_id }, 'a task was interrupted')
      await unended(again)
    }
  }

  /** All work has ended, but the end cannot be written. After some tries the task ends without its activities (`bare`). */
  async function unended(error: unknown): Promise<void> {
    // A database that is away says nothing of the task.
    if (isConnectionError(error)) return later(inSeconds(LATER))
    const pause = PAUSES[claimed.rescues]
    if (pause !== undefined) return later(inSeconds(pause), 1)
    const task = await stored()
    const reason = signal.aborted ? signal.reason : error
    if (task) await finish(await retryWhileAway(() => endTheRest(services, task, reason)), true)
  }
}

/** Why a task failed, as far as one code tells it. */
const firstCode = ({ chains }: WholeTask): string =>
  chains.flatMap(({ entries }) => entries).find(({ status }) => status === 'Failed')?.error?.code ?? 'failed'

/** Seconds before an interrupted task is taken up again. `PAUSES` is for a task whose end cannot be written. */
const LATER = 2
const PAUSES = [2, 4, 16, 60, 300]

const inSeconds = (seconds: number): Retry => retryAt(new Date(Date.now() + seconds * 1000), null)

const taskTimeUp = (seconds: number): Problem =>
  new Problem('time_limit', `The task ran longer than the ${seconds} s it may take (KEEPSAKE_MAX_TASK_SECONDS).`)

/**
 * Runs the chains in order. Each sees the outputs of the earlier ones. After a failure none is run, or (`continue`) only those that take
 * nothing from what failed.
 */
async function runChains(run: Run): Promise<Ran> {
  let ran: Ran = { task: run.task, outcome: done }
  for (const { index } of run.task.chains) {
    const chain = ran.task.chains[index] as Chain
    if (!run.signal.aborted && !chain.entries.every(hasEnded)) {
      const now = { ...run, task: ran.task }
      ran = waitsInVain(ran.task, chain) ? await skipChain(now, chain) : await runChain(now, chain)
    }
    const cutOff = outcomeOf(null, run)
    if (cutOff) return { ...ran, outcome: cutOff }
    if (run.signal.aborted) return { ...ran, outcome: failed }
    if (ran.outcome.is !== 'done' && ran.outcome.is !== 'failed') return ran
    ran = { ...ran, task: await withChainEnd(run, ran.task, index) }
    if (run.task.on_failure === 'stop' && !hasSucceeded(ran.task.chains[index])) return ran
  }
  return ran
}

/** Writes the status of a chain that others follow. That of the last one is written with the end of the task. */
async function withChainEnd({ services, claim }: Run, task: Task, index: number): Promise<Task> {
  const chain = task.chains[index] as Chain
  const status = chainStatus(chain.entries)
  if (index === task.chains.length - 1 || chain.status === status || !chain.entries.every(hasEnded)) return task
  await retryWhileAway(() => endChain(services.db, claim, chain.chain_id, status))
  return withChain(task, { ...chain, status })
}

const hasSucceeded = (chain: Chain | undefined): boolean => chain?.entries.every(isThrough) ?? false

/** It takes the output of a configuration that has failed, although parts of that may have succeeded. */
const waitsInVain = ({ chains }: Task, chain: Chain): boolean =>
  takenFrom(chain).some(name => !hasSucceeded(chains.find(({ configuration }) => configuration === name)))
