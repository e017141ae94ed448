// One child of the pool: what is known of it, and whether it can take a job.
import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import type { MediaProblem } from './problem.ts'
import type { Room } from './process/room.ts'

export interface PoolChild<Job> {
  forked: ChildProcess
  room: Room
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

export const newChild = <Job>(forked: ChildProcess, room: Room): PoolChild<Job> => ({
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
