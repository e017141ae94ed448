// Looks at a running PostgreSQL: its pid file, and which processes still use its folder.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

interface Postmaster {
  pid: number
  port: number
  /** `starting`, `ready` or `stopping`. */
  status: string
}

/** The content of postmaster.pid; null when there is no such file or it is only half written. */
export function readPidFile(folder: string): Postmaster | null {
  try {
    const lines = readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')
    const [pid, port, status] = [Number(lines[0]), Number(lines[3]), lines[7]?.trim() ?? 'starting']
    return pid > 0 && port > 0 ? { pid, port, status } : null
  } catch {
    return null
  }
}

/** The living processes that work in the folder: the postmaster and its children, also those left over from a kill. */
export function processesIn(folder: string): number[] {
  if (process.platform === 'linux') {
    const { dev, ino } = statSync(folder)
    return readdirSync('/proc')
      .map(Number)
      .filter(pid => pid > 0 && worksIn(pid, dev, ino))
  }
  const pid = readPidFile(folder)?.pid
  if (!pid) return []
  const { stdout } = spawnSync('ps', ['-o', 'stat=,comm=', '-p', String(pid)], { encoding: 'utf8' })
  return /^[^Z].*postgres/.test(stdout.trim()) ? [pid] : []
}

function worksIn(pid: number, dev: number, ino: number): boolean {
  try {
    const cwd = statSync(`/proc/${pid}/cwd`)
    return cwd.dev === dev && cwd.ino === ino && isPostgres(pid)
  } catch {
    return false // Ended, a zombie (it has no cwd), or another user's process.
  }
}

/** A shell that somebody opened in the folder does not count. */
const isPostgres = (pid: number): boolean => readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'postgres'

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // Gone already.
  }
}

/** True once `done` returns true, false when the time is up. */
export async function until(done: () => boolean, timeoutMs: number, everyMs = 20): Promise<boolean> {
  const end = Date.now() + timeoutMs
  while (!done()) {
    if (Date.now() > end) return false
    await sleep(everyMs)
  }
  return true
}
