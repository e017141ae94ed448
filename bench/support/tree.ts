// Processor time of processes that run on, with all that they have started.
import { readdirSync, readFileSync } from 'node:fs'

interface Process {
  pid: number
  parent: number
  /** Its own, and that of its children that have ended. */
  ms: number
}

/** Linux counts in hundredths of a second. */
const TICK_MS = 10

function processes(): Process[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(pid => {
      try {
        const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
        const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
        return [{ pid: Number(pid), parent: Number(fields[1]), ms: ticks * TICK_MS }]
      } catch {
        return [] // It has just ended.
      }
    })
}

/** The processes themselves, what they have started, what that has started, and so on. */
function tree(roots: readonly number[]): Process[] {
  const all = processes()
  const children = Map.groupBy(all, ({ parent }) => parent)
  const below = (found: Process): Process[] => [found, ...(children.get(found.pid) ?? []).flatMap(below)]
  return all.filter(({ pid }) => roots.includes(pid)).flatMap(below)
}

/** Milliseconds so far. What has ended without its parent's taking notice is not in it. */
export const treeMs = (roots: readonly number[]): number => tree(roots).reduce((sum, { ms }) => sum + ms, 0)

/** Of those below a process: the first whose command line begins so. */
export function findBelow(root: number, begins: string): number {
  const found = tree([root]).find(({ pid }) => commandOf(pid).startsWith(begins))
  if (!found) throw new Error(`there is no process "${begins}"`)
  return found.pid
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
