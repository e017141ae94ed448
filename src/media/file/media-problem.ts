// A problem that comes out of a media child: which entry it belongs to, and whether the child died of it.
import { type Code, Problem } from '#kit/errors.ts'

interface Origin {
  /** Index of the entry that failed, when the work was a segment. */
  entry?: number | null
  /** The child died or had to be killed: the caller counts these. */
  crash?: boolean
  /** What the tool itself said; for the log and the run record, never for the public. */
  detail?: string | null
  cause?: unknown
}

export class MediaProblem extends Problem {
  readonly entry: number | null
  readonly crash: boolean
  readonly detail: string | null

  constructor(code: Code, message: string, origin: Origin = {}) {
    super(code, message, { cause: origin.cause })
    this.entry = origin.entry ?? null
    this.crash = origin.crash ?? false
    this.detail = origin.detail ?? null
  }
}

/** How a problem travels between processes. */
export interface ProblemMessage {
  code: Code
  message: string
  entry: number | null
  crash: boolean
  detail: string | null
}

export function toMessage(error: unknown): ProblemMessage {
  if (error instanceof MediaProblem) {
    const { code, message, entry, crash, detail } = error
    return { code, message, entry, crash, detail }
  }
  if (error instanceof Problem)
    return { code: error.code, message: error.message, entry: null, crash: false, detail: null }
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return {
    code: 'media_failed',
    message: 'The media step failed for a reason of our own.',
    entry: null,
    crash: false,
    detail,
  }
}

export const fromMessage = ({ code, message, ...origin }: ProblemMessage): MediaProblem =>
  new MediaProblem(code, message, origin)

/** The same problem, owned by an entry. */
export function ownedBy(error: unknown, entry: number): MediaProblem {
  const { code, message, crash, detail, entry: known } = toMessage(error)
  return new MediaProblem(code, message, { entry: known ?? entry, crash, detail, cause: error })
}
