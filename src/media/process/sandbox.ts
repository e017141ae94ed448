// Builds the command line that runs a tool inside a media child, with its own kernel limits. It sees what the child sees, in the child's jail.
import type { Tools } from '../file/media-limits.ts'

export interface Guards {
  prlimit: string | null
  /** Memory limit of the media child itself. A tool inside it cannot have more. */
  mostMemoryBytes?: number
}

export const guardsOf = ({ prlimit = null, mostMemoryBytes }: Tools): Guards => ({
  prlimit,
  ...(mostMemoryBytes === undefined ? {} : { mostMemoryBytes }),
})

export interface Bounds {
  /** Processor seconds, summed over all threads. */
  cpuSeconds: number
  fileBytes: number
  memoryBytes: number
}

const FILES = 256

/** The command line that starts `tool` under the limits that this machine can set. */
export function guarded(
  tool: string,
  args: readonly string[],
  guards: Guards,
  bounds: Bounds,
): [command: string, args: string[]] {
  const line = [...(guards.prlimit ? [guards.prlimit, ...limits(bounds, guards.mostMemoryBytes)] : []), tool, ...args]
  return [line[0]!, line.slice(1)]
}

/** The first limit on processor time ends the tool by SIGXCPU, which says why; the second by SIGKILL, as others do, too. */
const limits = ({ cpuSeconds, fileBytes, memoryBytes }: Bounds, most = memoryBytes): string[] => [
  `--cpu=${Math.ceil(cpuSeconds) - 1}:${Math.ceil(cpuSeconds)}`,
  `--fsize=${Math.ceil(fileBytes)}`,
  `--data=${Math.ceil(Math.min(memoryBytes, most))}`,
  `--nofile=${FILES}`,
  '--core=0',
]
