// Names on disk that say which process made them, so that others can tell when that process is dead.
import { createHash } from 'node:crypto'
import { readlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { lives, statOf } from '#kit/process/process-stat.ts'

/** A process on another machine or in another container cannot be checked, so only the age of its files counts. */
const FOREIGN_AGE_MS = 24 * 3600 * 1000

let mark: Promise<string> | undefined

/** `HOST.PID.START` of this process. The start time tells a reused pid apart. */
export function ownMark(): Promise<string> {
  mark ??= host().then(host => `${host}.${process.pid}.${startOf(process.pid) ?? 0}`)
  return mark
}

/** Whether a dead process left behind what has this `name` (a mark, a dot, anything). */
export async function isLeftover(name: string, modifiedAt: Date): Promise<boolean> {
  const [madeOn] = name.split('.')
  if (madeOn !== (await host())) return Date.now() - modifiedAt.getTime() > FOREIGN_AGE_MS
  return isGone(name)
}

/** Whether a mark belongs to a dead process of this machine. */
export async function isGone(mark: string): Promise<boolean> {
  const [madeOn, pid, start] = mark.split('.')
  return madeOn === (await host()) && (startOf(Number(pid)) ?? '') !== start
}

async function host(): Promise<string> {
  // Containers on one machine share a disk but not their process ids.
  const pids = await readlink('/proc/self/ns/pid').catch(() => '')
  return createHash('sha256').update(`${hostname()}\n${pids}`).digest('hex').slice(0, 12)
}

/** When a living process began, as the kernel counts; null when it does not live. Without /proc every living process began at 0. */
function startOf(pid: number): string | null {
  if (process.platform !== 'linux') return lives(pid) ? '0' : null
  const stat = statOf(pid)
  return stat === null || stat[0] === 'Z' ? null : (stat[19] ?? null)
}
