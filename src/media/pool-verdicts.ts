// What is said of a job that its child did not finish.
import { MediaProblem } from './problem.ts'

export const cancelled = (): MediaProblem => new MediaProblem('cancelled', 'It was cancelled.')

export const died = (detail: string): MediaProblem =>
  new MediaProblem('media_failed', 'The process that worked on this file died.', { crash: true, detail })

export const timeUp = ({ timeoutMs = 0 }: { timeoutMs: number | undefined }): MediaProblem =>
  new MediaProblem('time_limit', `It took longer than the ${Math.round(timeoutMs / 1000)} s that one entry may take.`)
