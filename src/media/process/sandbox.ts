// Builds the command line that runs a tool inside a media child, with its own kernel limits and namespaces inside the child's jail.
import { dirname } from 'node:path'
import type { Tools } from '../file/media-limits.ts'
import { mount, programFolders } from './jail.ts'

export interface Guards {
  prlimit: string | null
  bwrap: string | null
  /** Memory limit of the media child itself. A tool inside it cannot have more. */
  mostMemoryBytes?: number
}

export const guardsOf = ({ prlimit = null, bwrap = null, mostMemoryBytes }: Tools): Guards => ({
  prlimit,
  bwrap,
  ...(mostMemoryBytes === undefined ? {} : { mostMemoryBytes }),
})

interface Bounds {
  /** Processor seconds, summed over all threads. */
  cpuSeconds: number
  fileBytes: number
  memoryBytes: number
}

interface ToolFiles {
  /** The only folder the tool may write to. */
  folder: string
  /** Files the tool may read, each with the path at which the tool sees it. */
  reads: readonly { path: string; as: string }[]
}

const FILES = 256

/** The command line that starts `tool` under all available guards. */
export function guarded(
  tool: string,
  args: readonly string[],
  guards: Guards,
  bounds: Bounds,
  files: ToolFiles,
): [command: string, args: string[]] {
  const line = [
    ...(guards.prlimit ? [guards.prlimit, ...limits(bounds, guards.mostMemoryBytes)] : []),
    ...(guards.bwrap ? [guards.bwrap, ...namespaces(tool, files), '--'] : []),
    tool,
    ...args,
  ]
  return [line[0]!, line.slice(1)]
}

const limits = ({ cpuSeconds, fileBytes, memoryBytes }: Bounds, most = memoryBytes): string[] => [
  `--cpu=${Math.ceil(cpuSeconds)}`,
  `--fsize=${Math.ceil(fileBytes)}`,
  `--data=${Math.ceil(Math.min(memoryBytes, most))}`,
  `--nofile=${FILES}`,
  '--core=0',
]

/** No new session: the tool must stay in the media child's process group, so that killing the group kills the tool. */
const namespaces = (tool: string, { folder, reads }: ToolFiles): string[] => [
  ...['--unshare-all', '--die-with-parent', '--cap-drop', 'ALL', '--clearenv', '--chdir', '/'],
  ...programFolders.flatMap(mount),
  ...(tool.startsWith('/usr/') ? [] : ['--ro-bind', dirname(tool), dirname(tool)]),
  ...['--dev', '/dev', '--tmpfs', '/tmp'],
  ...['--bind', folder, folder],
  ...reads.flatMap(({ path, as }) => ['--ro-bind', path, as]),
]
