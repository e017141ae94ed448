// Ends a media child that looks at a file for longer than the file's size explains.

import { MediaProblem } from '#media/file/media-problem.ts'
import type { ReadEvent } from '#media/file/watch-read.ts'
import { spentMs } from './spent.ts'

export interface ReadWatchdog extends Disposable {
  /** Aborted when the work is not wanted any more, or a look takes too long. */
  signal: AbortSignal
  /** Which process looks. */
  began(pid: number | undefined): void
  heard(event: ReadEvent): void
  /** What is to be said instead, when a look was the reason. */
  verdict(): MediaProblem | null
}

/** A timer that is later than this tells that this process stood still itself. */
const LATE_MS = 1_000
/** So often a look is given its time again. A file cannot make this process late, but a machine may be late all the time. */
const MOST_AGAIN = 5

/** A reader that a file keeps busy has at least this share of the time on a processor; one with less has waited for its turn. */
const BUSY_SHARE = 0.25
/** So often a look that has waited for its turn is given its time again, before the file is refused for now. */
const MOST_WAITS = 2
const AGAIN_SECONDS = 10

export function newReadWatchdog(outer?: AbortSignal, spent: (pid: number) => number | null = spentMs): ReadWatchdog {
  const stop = new AbortController()
  let clock: NodeJS.Timeout | undefined
  let until = 0
  let again = 0
  let waits = 0
  let child: number | undefined
  let spentBefore: number | null = null
  let verdict: MediaProblem | null = null

  const spentNow = (): number | null => (child === undefined ? null : spent(child))

  function hasWaited(ms: number): boolean {
    const now = spentNow()
    return now !== null && spentBefore !== null && now - spentBefore < ms * BUSY_SHARE
  }

  function end(ms: number, waited: boolean): void {
    const seconds = Math.round((waited ? ms * (1 + MOST_WAITS) : ms) / 1000)
    verdict = waited
      ? new MediaProblem('full', `The machine is too busy to look at the file within ${seconds} s. Try again later.`, {
          retryAfterSeconds: AGAIN_SECONDS,
        })
      : new MediaProblem(
          'time_limit',
          `Looking at a file took longer than ${seconds} s, which its size does not explain: it is damaged, or made to keep its reader busy.`,
        )
    stop.abort()
  }

  function wait(ms: number): void {
    until = performance.now() + ms
    spentBefore = spentNow()
    clearTimeout(clock)
    clock = setTimeout(() => {
      // It was stopped, or starved: that the look is over may be among the messages that it has not read yet.
      if (performance.now() - until > LATE_MS && again++ < MOST_AGAIN) return wait(ms)
      const waited = hasWaited(ms)
      if (waited && waits++ < MOST_WAITS) wait(ms)
      else end(ms, waited)
    }, ms)
  }

  return {
    signal: outer ? AbortSignal.any([outer, stop.signal]) : stop.signal,
    began(pid) {
      child = pid
    },
    heard({ looking: ms }) {
      if (ms === null) {
        clearTimeout(clock)
        until = 0
        return
      }
      // A child may say anything.
      if (!Number.isFinite(ms)) return
      // Of several looks at once the one that may take longest counts.
      if (performance.now() + ms <= until) return
      wait(ms)
    },
    verdict: () => verdict,
    [Symbol.dispose]: () => clearTimeout(clock),
  }
}
