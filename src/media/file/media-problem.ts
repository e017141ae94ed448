// A problem from a media child: the entry it belongs to, and whether the child died.
import { type Code, Problem } from '#kit/errors.ts'
import { hasCode } from '#kit/process/machine-problem.ts'

interface Origin {
  /** Index of the entry that failed, when the job was a segment. */
  entry?: number | null
  /** The child died, and we did not kill it. The caller counts these deaths. */
  crash?: boolean
  /** Output of the tool itself, for the log and the run record; never shown to the public. */
  detail?: string | null
  retryAfterSeconds?: number
  cause?: unknown
}

export class MediaProblem extends Problem {
  readonly entry: number | null
  readonly crash: boolean
  readonly detail: string | null

  constructor(code: Code, message: string, origin: Origin = {}) {
    const { cause, retryAfterSeconds } = origin
    super(code, message, { cause, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) })
    this.entry = origin.entry ?? null
    this.crash = origin.crash ?? false
    this.detail = origin.detail ?? null
  }
}

/** Form of a problem in messages between processes. */
export interface ProblemMessage {
  code: Code
  message: string
  entry: number | null
  crash: boolean
  detail: string | null
  retryAfterSeconds?: number
}

/** What is read only or forbidden for a step in its jail is so for ever, so that other errors of files are a step's own. */
const noRoom = ['ENOSPC', 'EDQUOT', 'EIO', 'EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN']

export function toMessage(error: unknown): ProblemMessage {
  if (error instanceof MediaProblem) {
    const { code, message, entry, crash, detail } = error
    return { code, message, entry, crash, detail, ...laterOf(error) }
  }
  if (error instanceof Problem)
    return { code: error.code, message: error.message, entry: null, crash: false, detail: null, ...laterOf(error) }
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const isFull = hasCode(error, ...noRoom)
  return {
    code: isFull ? 'unavailable' : 'media_failed',
    message: isFull ? 'The machine has no room for it now.' : 'The media step failed for a reason of our own.',
    entry: null,
    crash: false,
    detail,
  }
}

const laterOf = ({ retryAfterSeconds }: Problem): { retryAfterSeconds?: number } =>
  retryAfterSeconds === undefined ? {} : { retryAfterSeconds }

export const fromMessage = ({ code, message, ...origin }: ProblemMessage): MediaProblem =>
  new MediaProblem(code, message, origin)

/** The same problem, assigned to an entry unless it already has one. */
export function ownedBy(error: unknown, entry: number): MediaProblem {
  const { code, message, entry: known, ...origin } = toMessage(error)
  return new MediaProblem(code, message, { ...origin, entry: known ?? entry, cause: error })
}
