// Looks at a process of this machine: whether it lives, and what Linux tells of it.
import { readFileSync } from 'node:fs'

/**
 * The fields of `/proc/PID/stat` from the state on, or null when there is none. In front of them stands the name of the program, in
 * brackets, and may hold anything.
 */
export function statOf(pid: number | 'self'): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}

/** Whether the process lives. A zombie that nobody reaps does not. */
export function lives(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  return process.platform !== 'linux' || /^[^ZX]/.test(statOf(pid)?.[0] ?? '')
}
