// Outcomes of a pool job, and the problems for jobs that a child did not finish.
import { isProblem } from '#kit/errors.ts'
import { machineProblem } from '#kit/process/machine-problem.ts'
import { MediaProblem } from '../file/media-problem.ts'

export type JobResult = { value: unknown } | { error: Error }

/** An unexpected error, or one of the machine: the state of the child is unknown, so the pool replaces it. */
export const isOdd = (outcome: JobResult): boolean =>
  'error' in outcome && isProblem(outcome.error, 'media_failed', 'unavailable')

/** A failure on our side of the job, with the room of its child. */
export const failedHere = (error: unknown): JobResult => ({
  error: machineProblem(error, 'The room of a media process') as Error,
})

export const notStarted = (cause: Error): MediaProblem =>
  new MediaProblem('unavailable', 'A media process could not be started now.', { cause, detail: cause.message })

export const cancelled = (): MediaProblem => new MediaProblem('cancelled', 'It was cancelled.')

export const died = (detail: string): MediaProblem =>
  new MediaProblem('media_failed', 'The process that worked on this file died.', { crash: true, detail })

/** `ours`: the limit is not that of an entry, so the machine may be too busy, and nothing is known of the file. */
export function timeUp({ timeoutMs = 0, ours }: { timeoutMs: number | undefined; ours: boolean }): MediaProblem {
  const seconds = Math.round(timeoutMs / 1000)
  return ours
    ? new MediaProblem('unavailable', `It was not done within ${seconds} s. Try again later.`, {
        retryAfterSeconds: 10,
      })
    : new MediaProblem('time_limit', `It took longer than the ${seconds} s that one entry may take.`)
}

export const processorTimeUp = (seconds: number): MediaProblem =>
  new MediaProblem(
    'time_limit',
    `It took more than ${Math.round(seconds)} s of processor time, which its size does not explain: the file is damaged, or made to keep its reader busy.`,
  )
