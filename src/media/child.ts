// The inside of a media child: takes one job at a time over IPC, at low priority, and ends with its parent.
import { readFileSync, writeFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { setPriority } from 'node:os'
import { type ProblemMessage, toMessage } from './problem.ts'

const NICE = 19

export interface JobMessage {
  id: number
  request: unknown
}

export type AnswerMessage =
  | { id: number; event: unknown }
  | { id: number; value: unknown }
  | { id: number; problem: ProblemMessage }

export type Handler = (request: unknown, emit: (event: unknown) => void) => Promise<unknown>

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

export function serve(handle: Handler): void {
  const send = (message: AnswerMessage): void => {
    process.send?.(message)
  }
  stepBack()
  // Children are killed, so what was compiled is written down now and not at their end.
  setImmediate(flushCompileCache)
  process.on('disconnect', endGroup)
  process.on('message', async ({ id, request }: JobMessage) => {
    try {
      send({ id, value: await handle(request, event => send({ id, event })) })
    } catch (error) {
      send({ id, problem: toMessage(error) })
    }
  })
}
