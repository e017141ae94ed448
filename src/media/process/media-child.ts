// The inside of a media child: takes one job at a time over IPC, at low priority, and ends with its parent.
import { readFileSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { type ProblemMessage, toMessage } from '../file/media-problem.ts'

const NICE = 19

export interface JobMessage {
  id: number
  request: unknown
}

/** Asked in the middle of a job. */
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

/** Asks the process that gave us the job; null when it has no answer. */
export type Ask = (question: unknown) => Promise<unknown>

type Handler = (request: unknown, emit: (event: unknown) => void, ask: Ask) => Promise<unknown>

/** Behind all that serves people. A session leader has an autogroup of its own, which would cancel the nice value. */
function stepBack(): void {
  try {
    setPriority(NICE)
    if (leadsSession()) writeFileSync('/proc/self/autogroup', String(NICE))
  } catch {
    // No autogroups on this kernel, or no right to: the nice value alone has to do.
  }
}

/** The fourth field behind the name, which stands in brackets. */
const leadsSession = (): boolean =>
  readFileSync('/proc/self/stat', 'latin1').split(') ').at(-1)?.split(' ')[3] === String(process.pid)

/** Tools started by a job are in our process group; nothing of it outlives us. */
function endGroup(): void {
  try {
    process.kill(-process.pid, 'SIGKILL')
  } catch {
    process.exit(1)
  }
}

/** Processor time of this process so far. */
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
