// Pool of long-lived child processes for all media work. Each runs one job at a time; to stop a job, the pool kills its group.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Log } from '#kit/log.ts'
import { ownGroup } from '#kit/process/own-group.ts'
import { fromMessage, MediaProblem } from '../file/media-problem.ts'
import { type ChildRoom, empty, removeRoom } from './child-room.ts'
import { CPU_SECONDS } from './jail.ts'
import type { AnswerMessage, AskMessage, JobMessage, ReplyMessage } from './media-child.ts'
import { attach, busyOf, environmentIn, isResting, mayBegin, newChild, type PoolChild } from './pool-child.ts'
import {
  cancelled,
  died,
  failedHere,
  isOdd,
  type JobResult,
  notStarted,
  processorTimeUp,
  timeUp,
} from './pool-verdicts.ts'
import { boundProcessor } from './processor-bound.ts'

const IDLE_MS = 30_000
const DETAIL = 4_000

interface PoolOptions {
  /** Path of the script that a child runs. */
  script: string
  /** Creates the folders for one child. */
  newRoom(): ChildRoom
  /** The command line prefix that runs node and the script inside the jail. */
  jailed?(room: ChildRoom): string[]
  /** Maximum number of children. */
  size: number
  /** Number of idle children that the pool keeps. */
  keepWarm?: number
  /** The whole environment of a child, apart from what the pool gives to all. */
  env?: Record<string, string>
  idleMs?: number
  log?: Log
}

interface RunOptions {
  signal?: AbortSignal
  /** Time limit of the job itself, without the wait for a child. */
  timeoutMs?: number
  /** This limit is not that of an entry: who is over it may try again later. */
  ours?: boolean
  /** Processor time of the job itself and of its tools. */
  processorSeconds?: number
  /** Called when a child takes the job. */
  onBegin?: () => void
  onEvent?: (event: unknown) => void
  /** State that the job leaves in its child. Only jobs with the same traces may run in that child afterwards. Null: no state. */
  traces?: string | null
  /** The owner of the job. An owner without a working child gets an extra one when others use all children. */
  owner?: string | null
  /** Answers the questions that the child asks while it works. */
  onAsk?: (question: unknown, room: ChildRoom) => Promise<unknown>
}

/** The two ends of a job in the parent. Both get the room of the child that takes the job. */
export interface Work<T> {
  /** Brings the input files into the room and returns the request for the child. */
  bring(room: ChildRoom): unknown
  /** Takes the output files out of the room. */
  take(room: ChildRoom, answer: unknown): T
}

export interface PoolStats {
  children: number
  busy: number
  waiting: number
  crashes: number
}

export interface Pool {
  run<T>(work: Work<T>, options?: RunOptions): Promise<T>
  stats(): PoolStats
  /** Starts the children that are kept warm, so that the first job does not wait for a start. */
  warm(): void
  /** Refuses new jobs, waits for running and waiting ones, then ends all children. */
  drain(): Promise<void>
}

interface Job {
  id: number
  work: Work<unknown>
  timeoutMs: number | undefined
  ours: boolean
  processorSeconds: number | undefined
  traces: string | null
  owner: string | null
  onBegin: RunOptions['onBegin']
  onEvent: RunOptions['onEvent']
  onAsk: RunOptions['onAsk']
  done(outcome: JobResult): void
}

type Child = PoolChild<Job>

export function newPool(options: PoolOptions): Pool {
  const { script, newRoom, jailed = () => [], size, keepWarm = 0, env = {}, idleMs = IDLE_MS, log } = options
  const children = new Set<Child>()
  const waiting: Job[] = []
  let lastId = 0
  let crashes = 0
  let drained: (() => void) | null = null

  function start(): Child {
    const stdio = ['ignore', 'ignore', 'pipe', 'ipc'] as const
    const room = newRoom()
    const [first = process.execPath, ...rest] = [...jailed(room), process.execPath]
    const { program, args, detached } = ownGroup(first)
    const forked = fork(script, [], {
      // With JSON the parent reads a child's messages by JSON.parse alone: a hostile file may control what its child sends.
      serialization: 'json',
      env: { ...environmentIn(room), ...env },
      execPath: program,
      execArgv: [...args, ...rest],
      detached,
      stdio: [...stdio],
    })
    const child: Child = newChild(forked, room)
    children.add(child)
    forked.stderr?.setEncoding('utf8').on('data', (text: string) => {
      child.stderr = (child.stderr + text).slice(-DETAIL)
    })
    forked.on('message', (message: AnswerMessage | AskMessage) => {
      if ('ask' in message) void reply(child, message)
      else answer(child, message)
    })
    forked.on('error', error => {
      if (forked.pid === undefined) child.verdict ??= notStarted(error)
      gone(child, error.message)
    })
    forked.on('exit', (code, signal) => gone(child, `exit ${code ?? signal}`))
    return child
  }

  /** Hands waiting jobs, in order, to resting children or to new ones. */
  function next(): void {
    for (const job of [...waiting]) {
      // A job that fails at once calls `next` itself (in `settle`), so this job may already be taken.
      if (!waiting.includes(job) || !mayBegin(children, size, job.owner)) continue
      const child = childFor(job)
      if (!child) continue
      remove(job)
      if (child === 'refused') continue
      work(child, job)
    }
    if (drained && [...children].every(({ job }) => !job)) drained()
  }

  function remove(job: Job): boolean {
    const at = waiting.indexOf(job)
    return at >= 0 && waiting.splice(at, 1).length > 0
  }

  /** When a child cannot start, only the job that needed it fails. */
  function started(job: Job): Child | 'refused' {
    try {
      return start()
    } catch (error) {
      job.done(failedHere(error))
      return 'refused'
    }
  }

  /** A child with traces of another job cannot take this one. When all places are taken, such a resting child is replaced. */
  function childFor(job: Job): Child | 'refused' | null {
    const { traces } = job
    const resting = [...children].filter(isResting)
    const fitting = resting.find(child => child.traces === traces) ?? resting.find(child => child.traces === null)
    if (fitting) return fitting
    const [other] = resting
    if (children.size >= size && other) retire(other)
    else if (children.size >= size && busyOf(children).length < size) return null
    return started(job)
  }

  function work(child: Child, job: Job): void {
    if (child.clock) clearTimeout(child.clock)
    child.clock = job.timeoutMs === undefined ? null : setTimeout(() => kill(child, timeUp(job)), job.timeoutMs)
    const { processorSeconds } = job
    if (processorSeconds !== undefined && child.forked.pid)
      child.unbound = boundProcessor(child.forked.pid, processorSeconds, () =>
        kill(child, processorTimeUp(processorSeconds)),
      )
    child.job = job
    child.traces = job.traces
    attach(child, true)
    job.onBegin?.()
    const tell = (request: unknown): void => {
      if (child.job === job) send(child, { id: job.id, request })
    }
    const fail = (error: unknown): void => {
      if (child.job === job) settle(child, failedHere(error))
    }
    try {
      const request = job.work.bring(child.room)
      if (request instanceof Promise) request.then(tell, fail)
      else tell(request)
    } catch (error) {
      fail(error)
    }
  }

  function send(child: Child, message: JobMessage | ReplyMessage): void {
    child.forked.send(message, error => {
      if (error) kill(child, null)
    })
  }

  function answer(child: Child, message: AnswerMessage): void {
    const { job } = child
    if (!job || job.id !== message.id || child.verdict) return
    if ('event' in message) {
      job.onEvent?.(message.event)
      return
    }
    const outcome = 'problem' in message ? { error: fromMessage(message.problem) } : taken(child, job, message.value)
    settle(child, outcome, message.spentSeconds > CPU_SECONDS / 2 || isOdd(outcome))
  }

  function taken({ room }: Child, { work }: Job, value: unknown): JobResult {
    try {
      return { value: work.take(room, value) }
    } catch (error) {
      return failedHere(error)
    }
  }

  async function reply(child: Child, { id, ask, question }: AskMessage): Promise<void> {
    const { job, room } = child
    if (!job?.onAsk || job.id !== id || child.verdict) return
    const answer = await job.onAsk(question, room).catch(() => null)
    if (child.job === job) send(child, { id, ask, answer })
  }

  /** Ends a job. Its room is emptied before the child takes the next job; with `last`, the child ends instead. */
  function settle(child: Child, outcome: JobResult, last = false): void {
    const { job } = child
    rest(child)
    if (last) retire(child)
    else tidy(child)
    job?.done(outcome)
    next()
  }

  function tidy(child: Child): void {
    const failed = (error: unknown): void => {
      log?.warn({ error: (error as Error).message }, 'the room of a media child could not be emptied')
      retire(child)
    }
    const over = (): void => {
      child.emptying = false
      next()
    }
    try {
      const slow = empty(child.room)
      if (!slow) return
      child.emptying = true
      slow.catch(failed).finally(over)
    } catch (error) {
      failed(error)
    }
  }

  /** Removes the child from the pool and ends it. */
  function retire(child: Child): void {
    if (children.delete(child)) end(child)
  }

  function rest(child: Child): void {
    if (child.clock) clearTimeout(child.clock)
    child.unbound()
    child.job = null
    child.clock = setTimeout(() => {
      if (child.traces === null && children.size <= keepWarm) return
      retire(child)
      if (!drained) warm()
    }, idleMs).unref()
    attach(child, false)
  }

  function warm(): void {
    try {
      while (children.size < Math.min(keepWarm, size)) rest(start())
    } catch (error) {
      log?.warn({ error: (error as Error).message }, 'no media child could be kept warm')
    }
  }

  function end(child: Child): void {
    if (child.clock) clearTimeout(child.clock)
    child.unbound()
    kill(child, null)
    removeRoom(child.room).catch(error => log?.warn({ error: error.message }, 'the room of a media child stays'))
  }

  /** When a child ends, only its own job fails. */
  function gone(child: Child, how: string): void {
    if (!children.delete(child)) return
    end(child)
    const { job, verdict, stderr } = child
    if (job) {
      if (!verdict) crashes++
      log?.warn({ how, stderr, verdict: verdict?.code }, 'a media child ended in the middle of a job')
      job.done({ error: verdict ?? died(`${how}\n${stderr}`.trim()) })
    }
    next()
  }

  /** Kills the whole process group: the child leads it, so the tools it started end too. */
  function kill(child: Child, verdict: MediaProblem | null): void {
    const { forked } = child
    child.verdict ??= verdict
    try {
      if (forked.pid) process.kill(-forked.pid, 'SIGKILL')
    } catch {
      // No such group: it ended already, or the child has just started and does not lead a group yet.
      forked.kill('SIGKILL')
    }
  }

  function cancel(job: Job): void {
    const child = [...children].find(other => other.job === job)
    if (remove(job)) job.done({ error: cancelled() })
    else if (child) kill(child, cancelled())
  }

  return {
    run<T>(work: Work<T>, options: RunOptions = {}): Promise<T> {
      const {
        signal,
        timeoutMs,
        ours = false,
        processorSeconds,
        onBegin,
        onEvent,
        onAsk,
        traces = null,
        owner = null,
      } = options
      if (drained) return Promise.reject(new MediaProblem('unavailable', 'The service is stopping.'))
      if (signal?.aborted) return Promise.reject(cancelled())
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      const done: Job['done'] = outcome => {
        signal?.removeEventListener('abort', onAbort)
        if ('error' in outcome) reject(outcome.error)
        else resolve(outcome.value as T)
      }
      const limits = { timeoutMs, ours, processorSeconds }
      const job: Job = { id: ++lastId, work, ...limits, traces, owner, onBegin, onEvent, onAsk, done }
      const onAbort = (): void => cancel(job)
      signal?.addEventListener('abort', onAbort, { once: true })
      waiting.push(job)
      next()
      return promise
    },
    stats: () => ({
      children: children.size,
      busy: busyOf(children).length,
      waiting: waiting.length,
      crashes,
    }),
    warm,
    async drain() {
      const { promise, resolve } = Promise.withResolvers<void>()
      drained = resolve
      next()
      await promise
      const ends = [...children].map(async ({ forked, room }) => {
        await once(forked, 'exit')
        await removeRoom(room)
      })
      for (const child of children) {
        attach(child, true)
        kill(child, null)
      }
      await Promise.all(ends)
    },
  }
}
