// The path of one task through a worker: claim, load, run each chain, finish. Start reading here.
import { LeaseLost } from '#db/entries.ts'
import { withPatience } from '#db/patience.ts'
import { snapshotsOf } from '#db/snapshots.ts'
import { type Claimed, claimTask } from '#db/task-claims.ts'
import { Problem } from '#kit/errors.ts'
import type { TaskLane } from '#queue/lanes.ts'
import type { Job } from '#queue/queue.ts'
import { newWorkFolder } from '#storage/work-folders.ts'
import { abandonDeliveries } from './abandon.ts'
import { endTheRest } from './end-the-rest.ts'
import { type Courier, finishTask } from './finish.ts'
import { guestsOf } from './guest.ts'
import { handBack, putOff } from './put-off.ts'
import { hasEnded, LetGo, type Run, type RunServices } from './run.ts'
import { runChain } from './run-chain.ts'

/** Runs the task of a job to its end, or as far as it can get now. Never throws for what the task did. */
export async function runTask(
  services: RunServices,
  courier: Courier,
  job: Job<TaskLane>,
  controller: AbortController,
): Promise<void> {
  const { quick, queue, settings, log } = services
  const task = await withPatience(() => claimTask(quick, job.data.task_id, job.id, services.workerId))
  if (task === null || task === 'full') return withPatience(() => queue.remove(job.lane, job))
  if (task.cancel_requested) controller.abort(new Problem('cancelled', 'It was cancelled.'))
  const begun = performance.now()
  const spent = (): number => (performance.now() - begun) / 1000
  const clock = setTimeout(
    () => controller.abort(taskTimeUp(settings.maxTaskSeconds)),
    Math.max(0, settings.maxTaskSeconds - task.spent_seconds) * 1000,
  )
  try {
    await using folder = await newWorkFolder(settings.data)
    const run = await load(services, task, folder.path, controller.signal)
    const retryAt = await runChains(run)
    if (retryAt) await withPatience(() => putOff(run, retryAt, spent()))
    else {
      await abandonDeliveries(services, run, run.snapshots)
      const ending = { ...run, counted: task.counted, spentSeconds: spent() }
      await withPatience(() => finishTask(services, ending, courier))
    }
  } catch (error) {
    if (error instanceof LeaseLost)
      log.warn({ task_id: task.task_id }, 'the task has ended, or another worker took it over')
    else {
      if (!(error instanceof LetGo)) log.error({ err: error, task_id: task.task_id }, 'a task was interrupted')
      await withPatience(() => handBack(services, task, spent(), error instanceof LetGo ? 0 : 2))
    }
  } finally {
    clearTimeout(clock)
  }
}

const taskTimeUp = (seconds: number): Problem =>
  new Problem('time_limit', `The task ran longer than the ${seconds} s it may take (KEEPSAKE_MAX_TASK_SECONDS).`)

async function load(services: RunServices, task: Claimed, folder: string, signal: AbortSignal): Promise<Run> {
  const { db } = services
  const snapshots = await withPatience(() => snapshotsOf(db, task.chains))
  const guests = await withPatience(() => guestsOf(db, task))
  return {
    services,
    task,
    lease: { task_id: task.task_id, lease: task.lease },
    snapshots,
    guests,
    folder,
    signal,
  }
}

/** In order, each seeing the outputs of the earlier ones; answers when to go on if an entry was put off. */
async function runChains(run: Run): Promise<Date | null> {
  for (const chain of run.task.chains) {
    const retryAt = run.signal.aborted || chain.entries.every(hasEnded) ? null : await runChain(run, chain)
    if (run.signal.reason instanceof LetGo) throw run.signal.reason
    if (retryAt && !run.signal.aborted) return retryAt
    if (run.signal.aborted || chain.entries.some(entry => entry.status !== 'Succeeded')) break
  }
  const { services, task, signal } = run
  await withPatience(() => endTheRest(services.db, task, signal.reason))
  return null
}
