// The path of one task through a worker: claim, load, run each chain, finish. Start reading here.
import { isConnectionError } from '#db/database.ts'
import { LeaseLost } from '#db/entries.ts'
import { withPatience } from '#db/patience.ts'
import { snapshotsOf } from '#db/snapshots.ts'
import { type Claimed, claimTask } from '#db/task-claims.ts'
import { wholeTask } from '#db/tasks.ts'
import { Problem } from '#kit/errors.ts'
import type { TaskLane } from '#queue/lanes.ts'
import type { Job } from '#queue/queue.ts'
import { newWorkFolder } from '#storage/work-folders.ts'
import { abandonDeliveries } from './abandon.ts'
import { endTheRest } from './end-the-rest.ts'
import { type Courier, finishTask } from './finish.ts'
import { guestsOf } from './guest.ts'
import { interrupted } from './interruption.ts'
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
  const { db, quick, queue, settings, log } = services
  const task = await withPatience(() => claimTask(quick, job.data.task_id, job.id, services.workerId))
  if (task === null || task === 'full') return withPatience(() => queue.remove(job.lane, job))
  const claimed: Claimed = task
  if (task.cancel_requested) controller.abort(new Problem('cancelled', 'It was cancelled.'))
  const begun = performance.now()
  const spent = (): number => (performance.now() - begun) / 1000
  const clock = setTimeout(
    () => controller.abort(taskTimeUp(settings.maxTaskSeconds)),
    Math.max(0, settings.maxTaskSeconds - task.spent_seconds) * 1000,
  )
  const later = (seconds: number): Promise<void> =>
    withPatience(() => putOff(services, task, new Date(Date.now() + seconds * 1000), spent()))
  const finish = async (run: Pick<Run, 'task' | 'guests' | 'snapshots' | 'unwritten'>): Promise<void> => {
    await abandonDeliveries(services, run, run.snapshots)
    const ending = { ...run, counted: task.counted, spentSeconds: spent() }
    await withPatience(() => finishTask(services, ending, courier))
  }
  try {
    await using folder = await newWorkFolder(settings.data)
    const run = await load(services, task, folder.path, controller.signal)
    const retryAt = await runChains(run)
    if (retryAt) await withPatience(() => putOff(services, task, retryAt, spent()))
    else await finish(run)
  } catch (error) {
    if (error instanceof LeaseLost)
      log.warn({ task_id: task.task_id }, 'the task has ended, or another worker took it over')
    else if (error instanceof LetGo || controller.signal.reason instanceof LetGo)
      await withPatience(() => handBack(services, task, spent()))
    // It was cut off; whoever claims it next ends it.
    else if (controller.signal.aborted) await later(LATER)
    else await afterInterruption(error)
  } finally {
    clearTimeout(clock)
  }

  /** What failed outside of all entries is held against the first that has not ended; where there is none, only time can help. */
  async function afterInterruption(error: unknown): Promise<void> {
    const { task_id, lease } = claimed
    try {
      // What was about to be written is not there: it may be what the error is about.
      const stored = await withPatience(() => wholeTask(db, task_id))
      if (stored?.lease !== lease) return
      const retryAt = await interrupted(services, stored, stored.chains, error)
      if (retryAt) return await withPatience(() => putOff(services, claimed, retryAt, spent()))
      await withPatience(() => endTheRest(db, stored, undefined))
      await finish({ task: stored, guests: new Map(), snapshots: await snapshotsOf(db, stored.chains) })
    } catch (again) {
      if (again instanceof LeaseLost) return
      log.error({ err: again, task_id }, 'a task was interrupted')
      await later(isConnectionError(again) ? LATER : Math.min(MOST_PAUSE, LATER ** Math.min(lease, 10)))
    }
  }
}

/** Seconds before a task is taken up again that was interrupted, and after many such interruptions. */
const LATER = 2
const MOST_PAUSE = 300

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
