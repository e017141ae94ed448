// What an outside tool runs inside of: limits of the kernel always, namespaces without network where there are any.
import { lstatSync, readlinkSync } from 'node:fs'
import { dirname } from 'node:path'

export interface Guards {
  prlimit: string | null
  bwrap: string | null
}

export interface Bounds {
  /** Processor seconds over all threads. */
  cpuSeconds: number
  fileBytes: number
  memoryBytes: number
}

export interface Jail {
  /** The only folder it may write to. */
  folder: string
  /** Files it may read, each under the name that it is told. */
  reads: readonly { path: string; as: string }[]
}

const FILES = 256

/** The command line that starts `tool` under all the guards there are. */
export function guarded(
  tool: string,
  args: readonly string[],
  guards: Guards,
  bounds: Bounds,
  jail: Jail,
): [command: string, args: string[]] {
  const line = [
    ...(guards.prlimit ? [guards.prlimit, ...limits(bounds)] : []),
    ...(guards.bwrap ? [guards.bwrap, ...namespaces(tool, jail), '--'] : []),
    tool,
    ...args,
  ]
  return [line[0]!, line.slice(1)]
}

const limits = ({ cpuSeconds, fileBytes, memoryBytes }: Bounds): string[] => [
  `--cpu=${Math.ceil(cpuSeconds)}`,
  `--fsize=${Math.ceil(fileBytes)}`,
  `--data=${Math.ceil(memoryBytes)}`,
  `--nofile=${FILES}`,
  '--core=0',
]

/** Not a new session: it has to stay in the media child's process group, to be killed with it. */
const namespaces = (tool: string, { folder, reads }: Jail): string[] => [
  ...['--unshare-all', '--die-with-parent', '--cap-drop', 'ALL', '--clearenv', '--chdir', '/'],
  ...systemFolders.flatMap(mount),
  ...(tool.startsWith('/usr/') ? [] : ['--ro-bind', dirname(tool), dirname(tool)]),
  ...['--dev', '/dev', '--tmpfs', '/tmp'],
  ...['--bind', folder, folder],
  ...reads.flatMap(({ path, as }) => ['--ro-bind', path, as]),
]

const systemFolders = ['/usr', '/lib', '/lib64', '/bin', '/etc/alternatives', '/etc/ld.so.cache']

/** Programs and their libraries, read only; `/lib` is a link on a merged system and a folder on others. */
function mount(path: string): string[] {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found) return []
  return found.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path]
}
