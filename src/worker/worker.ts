// The worker: takes jobs of every lane, and lets go of them in order when it must stop.
import { attemptCallback, attemptIfThere, takeCallbacks } from '#callbacks/attempt.ts'
import { listen } from '#db/listen.ts'
import { CANCEL_CHANNEL, QUEUE_CHANNEL } from '#db/notify.ts'
import type { Pace } from '#db/pace.ts'
import { retryWhileAway } from '#db/retry-while-away.ts'
import type { TaskLane } from '#db/tables.ts'
import { cancelRequested } from '#db/tasks/steer-rows.ts'
import type { Claimed } from '#db/tasks/task-claims.ts'
import { serveTurn } from '#db/tasks/turns.ts'
import { bePresent, saveDoing } from '#db/tasks/workers.ts'
import { cancellation } from '#kit/errors.ts'
import { newId, timeOf } from '#kit/ids.ts'
import type { Meters } from '#kit/telemetry/meters.ts'
import { type Consumer, consume } from '#queue/consume.ts'
import type { Lane } from '#queue/lanes.ts'
import type { Job } from '#queue/queue.ts'
import type { LaneRules } from '#queue/shares.ts'
import { ownMark } from '#storage/process-mark.ts'
import type { Courier } from '#tasks/end/finish.ts'
import { type MachineOff, newFleet } from '#tasks/entry/fleet.ts'
import type { RunServices } from '#tasks/entry/loaded.ts'
import { LetGo } from '#tasks/run/outcome.ts'
import type { RunSlots } from '#tasks/run/run.ts'
import { runTask, takeTasks } from '#tasks/run/run-task.ts'
import { taskAttributes } from '#tasks/task-attributes.ts'
import { startChores } from './chores.ts'

interface Worker {
  /** What it cannot do now, a sentence each. */
  off(): string[]
  /** Jobs in hand, lane by lane. */
  inHand(): Record<Lane, number>
  /** Finishes what it can in time and hands the rest back. */
  drain(): Promise<void>
}

interface Doing {
  task_id: string
  lane: TaskLane
  since: string
  controller: AbortController
}

const DRAIN_MS = 15_000
/** An attempt costs a connection and no processor time. Receivers that let it wait share the slow slots. */
const CALLBACKS = { slots: 256, perShare: 8, slow: { afterMs: 1_000, slots: 512 } }
/** Transfers wait for another system, too. A large file takes its time, so a target counts as slow later. */
const TRANSFERS = { slots: 64, perShare: 16, slow: { afterMs: 20_000, slots: 128 } }
const TELL_MS = 2_000
const NOTE_TURN_MS = 250

/** `sessionUrl`: gives a connection that is ours alone while it lasts. `stuck`: the database answers others, but not this worker. */
export async function startWorker(
  given: Omit<RunServices, 'fleet'>,
  { sessionUrl, pace, stuck, off }: { sessionUrl: string; pace: Pace; stuck(): void; off: MachineOff },
): Promise<Worker> {
  const { db, log, workerId, settings } = given
  const doing = new Set<Doing>()
  const fleet = await newFleet(given, workerId, off)
  const services: RunServices = { ...given, fleet }
  const { able } = fleet
  const presence = await bePresent(sessionUrl, workerId, log, { pace, db, stuck, able, mark: await ownMark() })

  async function run({ id, lane }: Job<TaskLane>, task: Claimed, leave: () => void): Promise<void> {
    const controller = new AbortController()
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const { task_id } = task
    const mine = { task_id, lane, since: new Date().toISOString(), controller }
    doing.add(mine)
    const attributes = { ...taskAttributes(task), 'keepsake.lane': lane }
    if (task.traceparent !== null)
      services.tracer.begin('queue', task.traceparent, { attributes, at: timeOf(id).getTime() }).end()
    const span = services.tracer.begin('task', task.traceparent, { kind: 'consumer', attributes })
    try {
      await runTask(services, courier, task, slotsOf(lane, task.experience_id, leave, ended), controller, span)
    } finally {
      span.end()
      doing.delete(mine)
      end()
    }
  }

  const tasksOf = (lane: TaskLane, rules: LaneRules): Consumer =>
    consume({
      lane,
      rules,
      log,
      serve: serve(lane),
      async take(count, full) {
        if (!fleet.takes(lane)) return { jobs: 0, taken: [] }
        const { jobs, taken } = await takeTasks(services, lane, count, [...full, ...fleet.left()])
        for (const { job, task } of taken) countWait(services.meters, job, task)
        const work = taken.map(({ job, task }) => ({
          share: job.share,
          turn: job.turn,
          work: (leave: () => void) => run(job, task, leave),
        }))
        return { jobs, taken: work }
      },
    })

  function cancel(taskId: string): void {
    for (const { task_id, controller } of doing) if (task_id === taskId) controller.abort(cancellation())
  }

  /** A cancellation may have been announced while nobody listened. */
  const catchUp = async (): Promise<void> => {
    const wanted = await cancelRequested(
      db,
      [...doing].map(({ task_id }) => task_id),
    )
    for (const taskId of wanted) cancel(taskId)
  }

  /** A new share starts from the turn now served, give or take a few, so noting it this often is enough. */
  function serve(lane: Lane): (turn: number) => void {
    let latest = 0
    let due = false
    const note = (): void => {
      due = false
      void serveTurn(db, lane, latest).catch(error => log.debug({ err: error }, 'the turn was not noted'))
    }
    return turn => {
      latest = Math.max(latest, turn)
      if (!due) setTimeout(note, NOTE_TURN_MS).unref()
      due = true
    }
  }
  /** A task of a media lane delivers from there if the transfer lane has room; the task then takes that room until it ends. */
  function slotsOf(lane: TaskLane, share: string, leave: () => void, ended: Promise<void>): RunSlots {
    let isOnItsWay = lane === 'transfer'
    return {
      has(needs) {
        if (needs === 'media') return lane !== 'transfer'
        if (isOnItsWay) return true
        const occupy = consumers.transfer.reserve(share)
        occupy?.(() => ended)
        isOnItsWay = occupy !== null
        return isOnItsWay
      },
      // A task of the transfer lane keeps its place: it delivers.
      doneWithMedia: lane === 'transfer' ? () => {} : leave,
    }
  }

  const { concurrency } = settings
  const consumers: Record<Lane, Consumer> = {
    // Two for each child: one at work, and one whose files are brought or whose end is written meanwhile.
    picture: tasksOf('picture', { slots: concurrency * 4, perShare: concurrency * 4, onTop: concurrency * 2 }),
    // Tasks that find no free child wait in the queue, where another worker may take them.
    video: tasksOf('video', { slots: concurrency, perShare: concurrency, onTop: concurrency }),
    transfer: tasksOf('transfer', TRANSFERS),
    callback: consume({
      lane: 'callback',
      rules: CALLBACKS,
      log,
      serve: serve('callback'),
      async take(count, full) {
        const { jobs, taken } = await takeCallbacks(services, count, full)
        const work = taken.map(({ job: { share, turn }, callback }) => ({
          share,
          turn,
          work: () => attemptCallback(services, callback),
        }))
        return { jobs, taken: work }
      },
    }),
  }
  const courier: Courier = {
    workerId,
    reserve(receiver) {
      const occupy = consumers.callback.reserve(receiver)
      const jobId = newId()
      return (
        occupy && {
          jobId,
          attempt: callback => occupy(() => attemptCallback(services, callback)),
          attemptIfThere: id => occupy(() => attemptIfThere(services, id, jobId)),
        }
      )
    },
  }
  const wakeAll = (): void => {
    for (const consumer of Object.values(consumers)) consumer.wake()
  }
  const channels = {
    [QUEUE_CHANNEL]: (lane: string) => consumers[lane as Lane]?.wake(),
    [CANCEL_CHANNEL]: cancel,
  }
  const caughtUp = (): void => {
    wakeAll()
    void retryWhileAway(catchUp).catch(error => log.warn({ err: error }, 'cancellations were not looked up'))
  }
  const listener = await listen(sessionUrl, channels, log, caughtUp, pace)
  const chores = startChores(services, taskId => [...doing].some(({ task_id }) => task_id === taskId))
  let told = '[]'
  const telling = setInterval(() => {
    const now = [...doing].map(({ task_id, lane, since }) => ({ task_id, lane, since }))
    if (JSON.stringify(now) === told) return
    told = JSON.stringify(now)
    void saveDoing(db, workerId, now).catch(error => log.debug({ err: error }, 'what the worker does was not noted'))
  }, TELL_MS)

  return {
    off: () => fleet.able().off,
    inHand: () => ({
      picture: consumers.picture.running(),
      video: consumers.video.running(),
      transfer: consumers.transfer.running(),
      callback: consumers.callback.running(),
    }),
    async drain() {
      clearInterval(telling)
      fleet.close()
      const late = setTimeout(() => {
        for (const { controller } of doing) controller.abort(new LetGo())
      }, DRAIN_MS)
      await Promise.all([chores.stop(), ...Object.values(consumers).map(consumer => consumer.stop())])
      clearTimeout(late)
      await listener.close()
      await presence.close()
    },
  }
}

/** The id of a job tells when it was queued. One that was put off was not to be taken at once, and tells nothing of the queue. */
function countWait(meters: Meters, { id, lane }: Job<TaskLane>, { chains }: Claimed): void {
  if (chains.some(({ entries }) => entries.some(({ retry_at }) => retry_at !== null))) return
  meters.observe('taskWait', { lane }, Math.max(0, Date.now() - timeOf(id).getTime()) / 1000)
}
