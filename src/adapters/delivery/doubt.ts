// Says that a target answered, and that its answer leaves a doubt.
import type { Problem } from '#kit/errors.ts'
import { type Answered, outcomeUnknown } from './failure.ts'

export const doubtAfter = (target: string, answer: Answered): Problem =>
  outcomeUnknown(
    `What ${target} answered does not say whether it was delivered, so it may or may not have arrived. Look there, then retry the task if it is missing. The answer: ${answer.message}`,
    answer,
  )
