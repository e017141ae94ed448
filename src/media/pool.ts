// Long-lived child processes for all media work: one job at a time each, killed as a group when a job must end.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Log } from '#kit/log.ts'
import { ownGroup } from '#kit/own-group.ts'
import type { AnswerMessage, JobMessage } from './child.ts'
import { fromMessage, MediaProblem } from './problem.ts'

/** Halves the start of a child. Inside the project, where nobody else can put anything. */
const compiled = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url))
const IDLE_MS = 30_000
const DETAIL = 4_000

export interface PoolOptions {
  /** The composition root of a child, as a path. */
  script: string
  /** Children at once at most. */
  size: number
  /** Children that stay although nothing is to be done. */
  keepWarm?: number
  /** All that a child sees of the environment. */
  env?: Record<string, string>
  idleMs?: number
  log?: Log
}

export interface RunOptions {
  signal?: AbortSignal
  /** Wall clock of the job itself; waiting for a child does not count. */
  timeoutMs?: number
  /** A child has taken the job. */
  onBegin?: () => void
  onEvent?: (event: unknown) => void
}

export interface PoolStats {
  children: number
  busy: number
  waiting: number
  crashes: number
}

export interface Pool {
  run<T>(request: unknown, options?: RunOptions): Promise<T>
  stats(): PoolStats
  /** Starts the children that are kept warm, so that the first job does not wait for one. */
  warm(): void
  /** Takes nothing new, waits for what runs, then ends all children. */
  drain(): Promise<void>
}

interface Job {
  id: number
  request: unknown
  timeoutMs: number | undefined
  onBegin: RunOptions['onBegin']
  onEvent: RunOptions['onEvent']
  done(outcome: { value: unknown } | { error: Error }): void
}

interface Child {
  forked: ChildProcess
  job: Job | null
  stderr: string
  clock: NodeJS.Timeout | null
  /** Why we killed it, when we did. */
  verdict: MediaProblem | null
}

export function newPool(options: PoolOptions): Pool {
  const { script, size, keepWarm = 0, env = {}, idleMs = IDLE_MS, log } = options
  const children = new Set<Child>()
  const waiting: Job[] = []
  let lastId = 0
  let crashes = 0
  let drained: (() => void) | null = null

  function start(): Child {
    const stdio = ['ignore', 'ignore', 'pipe', 'ipc'] as const
    const { program, args, detached } = ownGroup(process.execPath)
    const forked = fork(script, [], {
      serialization: 'advanced',
      env: { NODE_COMPILE_CACHE: compiled, ...env },
      execPath: program,
      execArgv: args,
      detached,
      stdio: [...stdio],
    })
    const child: Child = { forked, job: null, stderr: '', clock: null, verdict: null }
    children.add(child)
    forked.stderr?.setEncoding('utf8').on('data', (text: string) => {
      child.stderr = (child.stderr + text).slice(-DETAIL)
    })
    forked.on('message', (message: AnswerMessage) => answer(child, message))
    forked.on('error', error => gone(child, error.message))
    forked.on('exit', (code, signal) => gone(child, `exit ${code ?? signal}`))
    return child
  }

  /** Hands the next waiting job to a child that rests, or to a new one. */
  function next(): void {
    while (waiting.length > 0) {
      const resting = [...children].find(({ job, verdict, forked }) => !job && !verdict && forked.connected)
      const child = resting ?? (children.size < size ? start() : null)
      if (!child) return
      work(child, waiting.shift() as Job)
    }
    if (drained && [...children].every(({ job }) => !job)) drained()
  }

  function work(child: Child, job: Job): void {
    if (child.clock) clearTimeout(child.clock)
    child.clock = job.timeoutMs === undefined ? null : setTimeout(() => kill(child, timeUp(job)), job.timeoutMs)
    child.job = job
    attach(child, true)
    const message: JobMessage = { id: job.id, request: job.request }
    child.forked.send(message, error => {
      if (error) kill(child, null)
    })
    job.onBegin?.()
  }

  function answer(child: Child, message: AnswerMessage): void {
    const { job } = child
    if (!job || job.id !== message.id || child.verdict) return
    if ('event' in message) {
      job.onEvent?.(message.event)
      return
    }
    rest(child)
    job.done('value' in message ? { value: message.value } : { error: fromMessage(message.problem) })
    next()
  }

  function rest(child: Child): void {
    if (child.clock) clearTimeout(child.clock)
    child.job = null
    child.clock = setTimeout(() => {
      if (children.size <= keepWarm) return
      children.delete(child)
      kill(child, null)
    }, idleMs).unref()
    attach(child, false)
  }

  /** A child that ended takes its own job with it and no other. */
  function gone(child: Child, how: string): void {
    if (!children.delete(child)) return
    if (child.clock) clearTimeout(child.clock)
    kill(child, null)
    const { job, verdict, stderr } = child
    if (job) {
      if (!verdict) crashes++
      log?.warn({ how, stderr, verdict: verdict?.code }, 'a media child ended in the middle of a job')
      job.done({ error: verdict ?? died(`${how}\n${stderr}`.trim()) })
    }
    next()
  }

  /** The child leads its process group, so the tools it started end with it. */
  function kill(child: Child, verdict: MediaProblem | null): void {
    const { forked } = child
    child.verdict ??= verdict
    try {
      if (forked.pid) process.kill(-forked.pid, 'SIGKILL')
    } catch {
      // There is no such group: it is gone already, or the child has only just been started and leads none yet.
      forked.kill('SIGKILL')
    }
  }

  function cancel(job: Job): void {
    const at = waiting.indexOf(job)
    const child = [...children].find(other => other.job === job)
    if (at >= 0) waiting.splice(at, 1)[0]?.done({ error: cancelled() })
    else if (child) kill(child, cancelled())
  }

  return {
    run<T>(request: unknown, { signal, timeoutMs, onBegin, onEvent }: RunOptions = {}): Promise<T> {
      if (drained) return Promise.reject(new MediaProblem('unavailable', 'The service is stopping.'))
      if (signal?.aborted) return Promise.reject(cancelled())
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      const done: Job['done'] = outcome => {
        signal?.removeEventListener('abort', onAbort)
        if ('error' in outcome) reject(outcome.error)
        else resolve(outcome.value as T)
      }
      const job: Job = { id: ++lastId, request, timeoutMs, onBegin, onEvent, done }
      const onAbort = (): void => cancel(job)
      signal?.addEventListener('abort', onAbort, { once: true })
      waiting.push(job)
      next()
      return promise
    },
    stats: () => ({
      children: children.size,
      busy: [...children].filter(({ job }) => job).length,
      waiting: waiting.length,
      crashes,
    }),
    warm() {
      while (children.size < Math.min(keepWarm, size)) rest(start())
    },
    async drain() {
      const { promise, resolve } = Promise.withResolvers<void>()
      drained = resolve
      next()
      await promise
      const ends = [...children].map(({ forked }) => once(forked, 'exit'))
      for (const child of children) {
        attach(child, true)
        kill(child, null)
      }
      await Promise.all(ends)
    },
  }
}

/** A child that works keeps our own process alive, one that rests does not. */
function attach({ forked }: Child, working: boolean): void {
  const handles = [forked, forked.channel, forked.stderr as Socket | null]
  for (const handle of handles) working ? handle?.ref() : handle?.unref()
}

const cancelled = (): MediaProblem => new MediaProblem('cancelled', 'It was cancelled.')

const died = (detail: string): MediaProblem =>
  new MediaProblem('media_failed', 'The process that worked on this file died.', { crash: true, detail })

const timeUp = ({ timeoutMs = 0 }: Job): MediaProblem =>
  new MediaProblem('time_limit', `It took longer than the ${Math.round(timeoutMs / 1000)} s that one entry may take.`)
