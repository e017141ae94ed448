// Outcomes of a pool job, and the problems for jobs that a child did not finish.
import { isProblem } from '#kit/errors.ts'
import { MediaProblem } from '../file/media-problem.ts'

export type JobResult = { value: unknown } | { error: Error }

/** An unexpected error: the state of the child is unknown, so the pool replaces it. */
export const isOdd = (outcome: JobResult): boolean => 'error' in outcome && isProblem(outcome.error, 'media_failed')

export const cancelled = (): MediaProblem => new MediaProblem('cancelled', 'It was cancelled.')

export const died = (detail: string): MediaProblem =>
  new MediaProblem('media_failed', 'The process that worked on this file died.', { crash: true, detail })

export const timeUp = ({ timeoutMs = 0 }: { timeoutMs: number | undefined }): MediaProblem =>
  new MediaProblem('time_limit', `It took longer than the ${Math.round(timeoutMs / 1000)} s that one entry may take.`)
