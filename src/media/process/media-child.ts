// Runs inside a media child: takes one job at a time over IPC, works at low priority, ends together with its parent.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { statOf } from '#kit/process/process-stat.ts'
import { type ProblemMessage, toMessage } from '../file/media-problem.ts'

const NICE = 19

export interface JobMessage {
  id: number
  request: unknown
}

/** A question that the child asks in the middle of a job. */
export interface AskMessage {
  id: number
  ask: number
  question: unknown
}

export interface ReplyMessage {
  id: number
  ask: number
  answer: unknown
}

export type AnswerMessage =
  | { id: number; event: unknown }
  | { id: number; value: unknown; spentSeconds: number }
  | { id: number; problem: ProblemMessage; spentSeconds: number }

/** Asks the process that gave us the job; resolves to null when that process has no answer. */
export type Ask = (question: unknown) => Promise<unknown>

type Handler = (request: unknown, emit: (event: unknown) => void, ask: Ask) => Promise<unknown>

/**
 * Gives way to the processes that serve people. A nice value is that of one thread, and new threads inherit it: those of libuv and libvips that run
 * already get it too. A session leader has its own autogroup, which would cancel the nice values.
 */
function stepBack(): void {
  try {
    for (const thread of threads()) setPriority(thread, NICE)
    if (leadsSession()) writeFileSync('/proc/self/autogroup', String(NICE))
  } catch {
    // The kernel has no autogroups, or we lack the right: then only the nice values apply.
  }
}

/**
 * Threads of this process; 0 is the one that asks. Those of V8 keep their priority: each thread waits for them while it collects garbage, and with them
 * behind all others a service under load now and then made a fifth fewer photos.
 */
function threads(): number[] {
  const nameOf = (thread: string): string => readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim()
  try {
    return readdirSync('/proc/self/task')
      .filter(thread => nameOf(thread) !== 'V8Worker')
      .map(Number)
  } catch {
    return [0]
  }
}

/** The session id is the fourth field. */
const leadsSession = (): boolean => statOf('self')?.[3] === String(process.pid)

/** Kills our process group, so that no tool of a job outlives this process. */
function endGroup(): void {
  try {
    process.kill(-process.pid, 'SIGKILL')
  } catch {
    process.exit(1)
  }
}

/** Processor time of this process since its start. */
function spentSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

export function serve(handle: Handler): void {
  const send = (message: AnswerMessage | AskMessage): void => {
    process.send?.(message)
  }
  const asked = new Map<number, (answer: unknown) => void>()
  let asks = 0
  stepBack()
  process.on('disconnect', endGroup)
  process.on('message', async (message: JobMessage | ReplyMessage) => {
    const { id } = message
    if ('ask' in message) {
      asked.get(message.ask)?.(message.answer)
      asked.delete(message.ask)
      return
    }
    const ask: Ask = question => {
      const { promise, resolve } = Promise.withResolvers<unknown>()
      asked.set(++asks, resolve)
      send({ id, ask: asks, question })
      return promise
    }
    try {
      const value = await handle(message.request, event => send({ id, event }), ask)
      send({ id, value, spentSeconds: spentSeconds() })
    } catch (error) {
      send({ id, problem: toMessage(error), spentSeconds: spentSeconds() })
    }
  })
}
