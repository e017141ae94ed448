// What becomes of a job, and what is said of one that its child did not finish.
import { isProblem } from '#kit/errors.ts'
import { MediaProblem } from '../file/media-problem.ts'

export type Outcome = { value: unknown } | { error: Error }

/** Nobody foresaw what happened in the child, so nobody knows what state it is in. */
export const isOdd = (outcome: Outcome): boolean => 'error' in outcome && isProblem(outcome.error, 'media_failed')

export const cancelled = (): MediaProblem => new MediaProblem('cancelled', 'It was cancelled.')

export const died = (detail: string): MediaProblem =>
  new MediaProblem('media_failed', 'The process that worked on this file died.', { crash: true, detail })

export const timeUp = ({ timeoutMs = 0 }: { timeoutMs: number | undefined }): MediaProblem =>
  new MediaProblem('time_limit', `It took longer than the ${Math.round(timeoutMs / 1000)} s that one entry may take.`)
