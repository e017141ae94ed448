// State of one child of the pool, and the rules for when it may take a job.
import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import type { MediaProblem } from '../file/media-problem.ts'
import type { ChildRoom } from './child-room.ts'
import { compileCache } from './compile-cache.ts'

export interface PoolChild<Job> {
  forked: ChildProcess
  room: ChildRoom
  job: Job | null
  stderr: string
  clock: NodeJS.Timeout | null
  /** Ends the looks at the processor time of its job. */
  unbound: () => void
  /** Why we killed the child; null when we did not. */
  verdict: MediaProblem | null
  /** True while the files of the last job are being removed. */
  emptying: boolean
  /** Traces of the jobs that ran in this child; see `RunOptions.traces`. */
  traces: string | null
}

export const newChild = <Job>(forked: ChildProcess, room: ChildRoom): PoolChild<Job> => ({
  forked,
  room,
  job: null,
  stderr: '',
  clock: null,
  unbound: () => {},
  verdict: null,
  emptying: false,
  traces: null,
})

export const isResting = <Job>({ job, verdict, emptying, forked }: PoolChild<Job>): boolean =>
  !job && !verdict && !emptying && forked.connected

/** A working child keeps our own process alive, a resting child does not. */
export function attach<Job>({ forked }: PoolChild<Job>, working: boolean): void {
  const handles = [forked, forked.channel, forked.stderr as Socket | null]
  for (const handle of handles) working ? handle?.ref() : handle?.unref()
}

export const busyOf = <J>(children: Iterable<PoolChild<J>>): PoolChild<J>[] => [...children].filter(({ job }) => job)

/** One owner may use all children. Then an owner without a child still gets one extra, so nobody waits for another owner's long job. */
export function mayBegin<J extends { owner: string | null }>(
  children: Iterable<PoolChild<J>>,
  size: number,
  owner: string | null,
): boolean {
  const busy = busyOf(children)
  if (busy.length < size) return true
  return owner !== null && busy.length < size * 2 && busy.every(({ job }) => job?.owner !== owner)
}

/**
 * What every child is started with. One heap of glibc for all its threads: each thread would keep what it freed. After 50 photos of two
 * megapixels a child holds 120 MB instead of 180, for the same time of the processor.
 */
export const environmentIn = (room: ChildRoom): Record<string, string> => ({
  NODE_COMPILE_CACHE: compileCache,
  TMPDIR: room.tmp,
  MALLOC_ARENA_MAX: '1',
})
