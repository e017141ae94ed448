// Builds the command line that starts a media child: its user, the files it can see, and its kernel limits.
import { lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, sep } from 'node:path'
import type { ChildRoom } from './child-room.ts'

/** The jail tools of this machine; null when a tool is missing or not allowed. `findJail` fills it. */
export interface Jail {
  prlimit: string | null
  bwrap: string | null
  /** Set only when we run as root: each child then gets its own user id. */
  setpriv: string | null
  /** Whether the namespaces of a child can have their own /proc. */
  ownProc: boolean
}

export const noJail: Jail = { prlimit: null, bwrap: null, setpriv: null, ownProc: false }

interface ChildBounds {
  memoryBytes: number
}

export interface VisiblePaths {
  /** Files or folders with programs and code that the child reads. */
  reads: readonly string[]
  /** Folders the child must not see, even when they lie inside a folder that it reads. */
  hides: readonly string[]
}

const FILES = 1_024
/** Size limit of one file: the most that ffmpeg may write. */
const FILE_BYTES = 64 * 1024 ** 3
/** Limit over the life of one process. The pool replaces a child that has used half of it, between two jobs. */
export const CPU_SECONDS = 8 * 3600
/** The kernel counts threads as processes, and ffmpeg starts several for each core. */
const processes = (): number => 512 + 32 * availableParallelism()

/** The command line prefix that runs a program inside the jail. Empty when there is no jail. */
export function jailLine(jail: Jail, room: ChildRoom, sight: VisiblePaths, bounds: ChildBounds): string[] {
  const { prlimit, bwrap, setpriv } = jail
  return [
    ...(prlimit ? [prlimit, ...limits(bounds)] : []),
    ...(bwrap ? [bwrap, ...namespaces(jail, room, sight), '--'] : []),
    ...(setpriv && room.user !== null ? [setpriv, ...asUser(room.user), '--'] : []),
  ]
}

const limits = ({ memoryBytes }: ChildBounds): string[] => [
  `--cpu=${CPU_SECONDS}`,
  `--fsize=${FILE_BYTES}`,
  `--data=${Math.ceil(memoryBytes)}`,
  `--nofile=${FILES}`,
  `--nproc=${processes()}`,
  '--core=0',
]

const asUser = (user: number): string[] => [
  ...['--reuid', String(user), '--regid', String(user), '--clear-groups'],
  ...['--bounding-set', '-all', '--inh-caps', '-all', '--no-new-privs'],
]

/**
 * No new session: the child must stay in its process group, so that killing the group kills the child. Root needs no user namespace.
 * The child keeps only the capabilities to change its user, until `setpriv` drops them.
 */
function namespaces({ bwrap, setpriv, ownProc }: Jail, room: ChildRoom, { reads, hides }: VisiblePaths): string[] {
  const user = setpriv
    ? ['--cap-drop', 'ALL', ...['SETUID', 'SETGID', 'SETPCAP'].flatMap(cap => ['--cap-add', `CAP_${cap}`])]
    : ['--unshare-user', '--cap-drop', 'ALL']
  const tools = [bwrap, setpriv].filter(path => path !== null)
  const visible = [...reads, ...tools].filter(path => !systemFolders.some(folder => isBelow(path, folder)))
  const shown = [...systemFolders, ...visible]
  return [
    ...['--unshare-ipc', '--unshare-pid', '--unshare-net', '--unshare-uts', '--unshare-cgroup-try'],
    ...['--die-with-parent', '--chdir', '/', ...user],
    ...passable([...shown, room.in]),
    ...systemFolders.flatMap(mount),
    ...['--dev', '/dev', ...(ownProc ? ['--proc', '/proc'] : [])],
    ...visible.flatMap(path => ['--ro-bind', realpathSync(path), path]),
    ...hides
      .filter(path => shown.some(folder => isBelow(path, folder)))
      .flatMap(path => ['--tmpfs', path, '--remount-ro', path]),
    ...['--ro-bind', room.in, room.in],
    ...[room.out, room.tmp].flatMap(path => ['--bind', path, path]),
    // The folders on the way lie in memory, where an ordinary user owns them.
    ...['--remount-ro', '/'],
  ]
}

/** Creates the folders that lead to these paths, because bubblewrap alone makes them passable for root only. */
function passable(paths: readonly string[]): string[] {
  const folders = new Set<string>()
  for (const path of paths)
    for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) folders.add(folder)
  return [...folders].sort().flatMap(folder => ['--perms', '0755', '--dir', folder])
}

/** Programs and their libraries, and the files that fontconfig reads. */
const systemFolders = [
  ...['/usr', '/lib', '/lib64', '/bin', '/etc/alternatives', '/etc/ld.so.cache'],
  ...['/etc/fonts', '/var/cache/fontconfig'],
]

/** Mounts read-only. `/lib` is a link on systems with a merged /usr and a folder on others. */
function mount(path: string): string[] {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found) return []
  return found.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path]
}

const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(folder + sep)
