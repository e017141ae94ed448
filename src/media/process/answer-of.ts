// Tells an answer from silence: a program that a busy or full machine let nobody run has not said what it can do.
import { type ExecFileException, execFile } from 'node:child_process'
import { constants } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'

/** How long a program may take to answer. */
export interface Patience {
  timeoutMs: number
  /** Ends the wait. */
  signal?: AbortSignal | undefined
}

export const usualPatience: Patience = { timeoutMs: 15_000 }
const MOST_MS = 600_000

/** Nothing is known yet. The message says whose answer is missing, and why. */
export class NoAnswer extends Error {}

type Run = (program: string, args: readonly string[], env?: Record<string, string>) => Promise<string>

const exec = promisify(execFile)
const MOST_OUTPUT = 8 * 1024 ** 2

/** Returns what `attempt` found out by running programs; null when one refused. Throws `NoAnswer` when one was kept from answering. */
export async function answerOf<T>(
  name: string,
  { timeoutMs, signal }: Patience,
  attempt: (run: Run) => Promise<T>,
): Promise<T | null> {
  // A program may ignore every other signal.
  const limits = { timeout: timeoutMs, signal, killSignal: 'SIGKILL', maxBuffer: MOST_OUTPUT } as const
  try {
    return await attempt(async (program, args, env = {}) => (await exec(program, args, { ...limits, env })).stdout)
  } catch (error) {
    if (signal?.aborted) throw error
    const why = silenceIn(error as Failure, timeoutMs)
    if (why === null) return null
    throw new NoAnswer(`${name} ${why}`, { cause: error })
  }
}

type Failure = Omit<ExecFileException, 'code'> & { code?: string | number | null; stderr?: string }

/** What system calls answer on a machine that has nothing left for now, and what programs say then. */
const codes = new Set(['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE', 'ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'ETXTBSY'])
const words =
  /resource temporarily unavailable|(?:cannot allocate|not enough) memory|too many open files|no space left on device/i
/** A program in namespaces that is ended by a signal arrives as exit code 128 + number. */
const ENDED_BY_SIGNAL = 128
const SIGNALS = 31

/** Why this failure says nothing of the program; null: it does. */
function silenceIn(failure: Failure, timeoutMs: number): string | null {
  const { code, killed, signal, stderr = '' } = failure
  if (isFull(failure)) return `could not be started: ${code}`
  if (typeof code === 'string') return null
  if (killed) return `did not answer within ${timeoutMs / 1000} s`
  const number = signal ? constants.signals[signal] : (code ?? 0) - ENDED_BY_SIGNAL
  // The kernel forbids a call by this one, now and later.
  if (number > 0 && number <= SIGNALS && number !== constants.signals.SIGSYS) return `was ended by signal ${number}`
  const said = words.exec(stderr)
  return said && `could not be run: ${said[0]}`
}

/** Whether a program could not be started because the machine has nothing left for now. */
export const isFull = (error: object): boolean => 'code' in error && codes.has(String(error.code))

/** Looks until there is an answer, each time with more patience. `heard`: the silence that it waits through; null when it is over. */
export async function untilAnswered<T>(
  look: (patience: Patience) => Promise<T>,
  { timeoutMs, signal }: Patience = usualPatience,
  heard: (silence: NoAnswer | null) => void = () => {},
): Promise<T> {
  for (let limit = timeoutMs; ; limit = Math.min(limit * 2, MOST_MS)) {
    try {
      const answer = await look({ timeoutMs: limit, signal })
      heard(null)
      return answer
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      heard(error)
    }
    await pause(limit / 60, undefined, { signal })
  }
}
