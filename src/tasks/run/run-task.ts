// The path of one task through a worker: claim, load, run each chain, finish. Start reading here.
import { randomUUID } from 'node:crypto'
import { isConnectionError } from '#db/database.ts'
import { ClaimLost } from '#db/tasks/entry-rows.ts'
import { snapshotsOf } from '#db/tasks/snapshots.ts'
import { type Claimed, claimTasks } from '#db/tasks/task-claims.ts'
import { wholeTask } from '#db/tasks/task-rows.ts'
import { withPatience } from '#db/while-away.ts'
import { Problem } from '#kit/errors.ts'
import type { TaskLane } from '#queue/lanes.ts'
import type { Job } from '#queue/queue.ts'
import { newWorkFolder } from '#storage/work-folders.ts'
import { abandonDeliveries } from '../end/abandon.ts'
import { type Courier, finishTask } from '../end/finish.ts'
import { guestsOf } from '../entry/guests.ts'
import type { Loaded, RunServices } from '../entry/loaded.ts'
import { endTheRest } from './end-the-rest.ts'
import { interrupted } from './interrupted.ts'
import type { Later, Place } from './place.ts'
import { handBack, putOff } from './release.ts'
import { hasEnded, LetGo, type Run } from './run.ts'
import { runChain } from './run-chain.ts'
import { newClock } from './work-clock.ts'

/** Takes tasks out of a lane for this worker: see `queue.take`. */
export async function takeTasks(
  { queue, workerId }: RunServices,
  lane: TaskLane,
  count: number,
  fullShares: readonly string[],
): Promise<{ job: Job<TaskLane>; task: Claimed }[]> {
  const taken = await queue.take(lane, count, fullShares, async (trx, jobs) => {
    const wanted = jobs.map(({ id, data }) => ({ task_id: data.task_id, job_id: id, claim: randomUUID() }))
    const claimed = new Map((await claimTasks(trx, wanted, workerId)).map(task => [task.task_id, task]))
    return jobs.flatMap(job => {
      const task = claimed.get(job.data.task_id)
      return task ? [{ job, task }] : []
    })
  })
  return taken ?? []
}

/** Runs a task that was claimed to its end, or as far as it can get now. Never throws for what the task did. */
export async function runTask(
  services: RunServices,
  courier: Courier,
  task: Claimed,
  place: Place,
  controller: AbortController,
): Promise<void> {
  const { db, settings, log } = services
  if (task.cancel_requested) controller.abort(new Problem('cancelled', 'It was cancelled.'))
  const clock = newClock(settings.maxTaskSeconds - task.spent_seconds, () =>
    controller.abort(taskTimeUp(settings.maxTaskSeconds)),
  )
  const later = (goOn: Later): Promise<void> =>
    withPatience(() => putOff(services, task, goOn, { seconds: clock.spent() }))
  const finish = async (run: Pick<Run, 'task' | 'guests' | 'snapshots' | 'unwritten'>): Promise<void> => {
    await abandonDeliveries(services, run, run.snapshots)
    const ending = { ...run, counted: task.counted, spentSeconds: clock.spent() }
    await withPatience(() => finishTask(services, ending, courier))
  }
  try {
    await using folder = await newWorkFolder(settings.data)
    const run = { ...(await load(services, task, folder.path, controller.signal)), claim: task, clock, place }
    const goOn = await runChains(run)
    if (goOn) await later(goOn)
    else await finish(run)
  } catch (error) {
    if (error instanceof ClaimLost)
      log.warn({ task_id: task.task_id }, 'the task has ended, or another worker took it over')
    else if (error instanceof LetGo || controller.signal.reason instanceof LetGo)
      await withPatience(() => handBack(services, task, { seconds: clock.spent() }))
    // It was cut off; whoever claims it next ends it.
    else if (controller.signal.aborted) await later(inSeconds(LATER))
    else await afterInterruption(error)
  } finally {
    clock.stop()
  }

  /** What failed outside of all entries is held against the first that has not ended. */
  async function afterInterruption(error: unknown): Promise<void> {
    const { task_id, claim } = task
    try {
      // What was about to be written is not there: it may be what the error is about.
      const stored = await withPatience(() => wholeTask(db, task_id))
      if (stored?.claim !== claim) return
      const goOn = await interrupted(services, stored, stored.chains, error)
      if (goOn) return await later(goOn)
      await withPatience(() => endTheRest(db, stored, undefined))
      await finish({ task: stored, guests: new Map(), snapshots: await snapshotsOf(db, stored.chains) })
    } catch (again) {
      if (again instanceof ClaimLost) return
      log.error({ err: again, task_id }, 'a task was interrupted')
      await unended(again)
    }
  }

  /** All of its work has ended, but its end cannot be written. After some tries it ends without what may be in the way. */
  async function unended(error: unknown): Promise<void> {
    const pause = isConnectionError(error) ? LATER : PAUSES[task.rescues]
    if (pause !== undefined)
      return withPatience(() => putOff(services, task, inSeconds(pause), { seconds: clock.spent(), rescues: 1 }))
    const stored = await withPatience(() => wholeTask(db, task.task_id))
    if (stored?.claim !== task.claim) return
    await withPatience(() => endTheRest(db, stored, error))
    const ending = {
      task: stored,
      snapshots: new Map(),
      counted: task.counted,
      spentSeconds: clock.spent(),
      bare: true,
    }
    await withPatience(() => finishTask(services, ending, courier))
  }
}

/** Seconds before a task is taken up again that was interrupted; the list for one whose end fails again and again. */
const LATER = 2
const PAUSES = [2, 4, 16, 60, 300]

const inSeconds = (seconds: number): Later => ({ at: new Date(Date.now() + seconds * 1000), needs: null })

const taskTimeUp = (seconds: number): Problem =>
  new Problem('time_limit', `The task ran longer than the ${seconds} s it may take (KEEPSAKE_MAX_TASK_SECONDS).`)

async function load(services: RunServices, task: Claimed, folder: string, signal: AbortSignal): Promise<Loaded> {
  const { db } = services
  const snapshots = await withPatience(() => snapshotsOf(db, task.chains))
  const guests = await withPatience(() => guestsOf(db, task))
  return { services, task, snapshots, guests, folder, signal }
}

/** In order, each seeing the outputs of the earlier ones; answers when and where to go on if an entry was put off. */
async function runChains(run: Run): Promise<Later | null> {
  for (const chain of run.task.chains) {
    const goOn = run.signal.aborted || chain.entries.every(hasEnded) ? null : await runChain(run, chain)
    if (run.signal.reason instanceof LetGo) throw run.signal.reason
    if (goOn && !run.signal.aborted) return goOn
    if (run.signal.aborted || chain.entries.some(entry => entry.status !== 'Succeeded')) break
  }
  const { services, task, signal } = run
  await withPatience(() => endTheRest(services.db, task, signal.reason))
  return null
}
