// One child of the pool: what is known of it, and whether it can take a job.
import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import type { MediaProblem } from '../file/media-problem.ts'
import type { ChildFolders } from './child-folders.ts'

export interface PoolChild<Job> {
  forked: ChildProcess
  room: ChildFolders
  job: Job | null
  stderr: string
  clock: NodeJS.Timeout | null
  /** Why we killed it, when we did. */
  verdict: MediaProblem | null
  /** What the last job left is still being removed. */
  emptying: boolean
  /** What jobs have left behind in it. */
  traces: string | null
}

export const newChild = <Job>(forked: ChildProcess, room: ChildFolders): PoolChild<Job> => ({
  forked,
  room,
  job: null,
  stderr: '',
  clock: null,
  verdict: null,
  emptying: false,
  traces: null,
})

export const isResting = <Job>({ job, verdict, emptying, forked }: PoolChild<Job>): boolean =>
  !job && !verdict && !emptying && forked.connected

/** A child that works keeps our own process alive, one that rests does not. */
export function attach<Job>({ forked }: PoolChild<Job>, working: boolean): void {
  const handles = [forked, forked.channel, forked.stderr as Socket | null]
  for (const handle of handles) working ? handle?.ref() : handle?.unref()
}

export const busyOf = <J>(children: Iterable<PoolChild<J>>): PoolChild<J>[] => [...children].filter(({ job }) => job)

/** One owner can have all children at work. An owner who has none then gets one on top, so nobody waits for another's long job. */
export function mayBegin<J extends { owner: string | null }>(
  children: Iterable<PoolChild<J>>,
  size: number,
  owner: string | null,
): boolean {
  const busy = busyOf(children)
  if (busy.length < size) return true
  return owner !== null && busy.length < size * 2 && busy.every(({ job }) => job?.owner !== owner)
}
