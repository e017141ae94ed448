// Decides when an entry is tried again, by the fault that its Problem names.
import type { StoredError } from '#db/tables.ts'
import type { EntryRow } from '#db/tasks/task-rows.ts'
import type { Patience } from '#engine/option-roles.ts'
import type { Problem } from '#kit/errors.ts'
import { shortened } from '#kit/text.ts'
import { Interruption } from '../entry/interruption.ts'

const HOUR = 3_600
/** Caps what a target asks for: an adapter may pass on a time that no Date can hold. */
const LONGEST = 30 * 24 * HOUR

/** Used where the adapter has no options for it, for example for an input URL. */
const usual = { attempts: 6, backoffSeconds: 5 }

/** How many attempts count: not those that were cut off because their worker ended. */
export const countedAttempts = ({ attempts, cut_off }: Pick<EntryRow, 'attempts' | 'cut_off'>): number =>
  attempts - cut_off

/** It says something of our own machine, storage or code, and nothing of the entry or of its target. */
const isOurs = (problem: Problem): boolean => problem instanceof Interruption || problem.code === 'unavailable'

/** Nor does waiting for a quota say anything about the target. */
export const usesAttempt = (problem: Problem): boolean => !isOurs(problem) && problem.fault !== 'quota'

/** Seconds before each further try of an entry that was interrupted. */
const PAUSES = [2, 6, 18, 54, 162]
export const MOST_TRIES = PAUSES.length + 1

/** How often in a row the entry was put off for this reason of ours. */
const triesOf = ({ error }: Pick<EntryRow, 'error'>, { code }: Problem): number =>
  error?.code === code ? (error.tries ?? 0) : 0

/** Milliseconds before the next try of an entry, or null when there is none. */
export function pauseOf(entry: EntryRow, problem: Problem, patience?: Patience): number | null {
  const tries = triesOf(entry, problem)
  if (!(problem instanceof Interruption)) return retryAfterMs(problem, countedAttempts(entry), patience, tries)
  const seconds = PAUSES[tries]
  return seconds === undefined ? null : inMs(seconds)
}

/** The error that an entry shows while it waits for another try. */
export function waitingError(entry: EntryRow, problem: Problem): StoredError {
  const { code, cause, message } = problem
  const isUnforeseen = problem instanceof Interruption && cause !== undefined
  const sentence = isUnforeseen
    ? 'It was interrupted in a way that was not foreseen, and is tried again.'
    : shortened(message)
  return { code, message: sentence, ...(isOurs(problem) && { tries: triesOf(entry, problem) + 1 }) }
}

/** The longest pause while our own database or storage is away: many that wait must not keep them from coming back. */
const AWAY_SECONDS = 60

/**
 * Milliseconds to wait before the next attempt, or null when there is none. `attempts`: how many count. `tries`: how often in a row it waited
 * for what is ours.
 */
export function retryAfterMs(problem: Problem, attempts: number, patience: Patience = {}, tries = 0): number | null {
  const asked = problem.retryAfterSeconds
  if (problem.fault === 'quota') return inMs(asked ?? HOUR)
  if (problem.fault !== 'transient') return null
  // Our own database or storage is away. The entry waits for it without end.
  if (problem.code === 'unavailable') return inMs(Math.min(5 * 2 ** tries, AWAY_SECONDS))
  const { attempts: most, backoffSeconds: first } = { ...usual, ...patience }
  if (attempts >= most) return null
  const backoff = Math.min(first * 2 ** (attempts - 1), HOUR)
  const jitter = 0.9 + Math.random() * 0.2
  return inMs(Math.max(backoff * jitter, asked ?? 0))
}

const inMs = (seconds: number): number => Math.min(seconds, LONGEST) * 1000
