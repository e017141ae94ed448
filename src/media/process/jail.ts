// The command line that a media child is started with: which user it becomes, what it can see, and the limits of the kernel.
import { lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, sep } from 'node:path'
import type { ChildFolders } from './child-folders.ts'

/** What this machine allows; null where a tool is not there or may not be used. Found by `findJail`. */
export interface Jail {
  prlimit: string | null
  bwrap: string | null
  /** Set where we are root: each child becomes a user of its own. */
  setpriv: string | null
  /** Whether the namespaces of a child can have a /proc of their own. */
  ownProc: boolean
  /** Whether a tool inside of a child can have namespaces of its own again. */
  nested: boolean
}

export const noJail: Jail = { prlimit: null, bwrap: null, setpriv: null, ownProc: false, nested: false }

interface ChildBounds {
  memoryBytes: number
}

export interface Sight {
  /** Programs and code that the child reads: files or folders. */
  reads: readonly string[]
  /** Folders that it must not see although they may lie inside of one that it reads. */
  hides: readonly string[]
}

const FILES = 1_024
/** One file; what ffmpeg may write at most. */
const FILE_BYTES = 64 * 1024 ** 3
/** Over the life of one process; a child that has used half of it is replaced between two jobs. */
export const CPU_SECONDS = 8 * 3600
/** Threads count as processes, and ffmpeg has several for each core. */
const processes = (): number => 512 + 32 * availableParallelism()

/** What stands before a program and its arguments, so that it runs inside of the jail. Empty where there is none. */
export function jailLine(jail: Jail, room: ChildFolders, sight: Sight, bounds: ChildBounds): string[] {
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
 * Not a new session: the child has to stay in its process group, to be killed with it. As root no user namespace is needed, and
 * the only rights left inside are those that change the user, until `setpriv` has done so.
 */
function namespaces({ bwrap, setpriv, ownProc }: Jail, room: ChildFolders, { reads, hides }: Sight): string[] {
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
    ...hides.filter(path => shown.some(folder => isBelow(path, folder))).flatMap(path => ['--tmpfs', path]),
    ...['--ro-bind', room.in, room.in],
    ...[room.out, room.tmp].flatMap(path => ['--bind', path, path]),
  ]
}

/**
 * The folders that lead to these paths. Bubblewrap alone would make them passable for root only. And an empty /tmp: one that is
 * started inside of the jail builds its own there.
 */
function passable(paths: readonly string[]): string[] {
  const folders = new Set(['/tmp'])
  for (const path of paths)
    for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) folders.add(folder)
  return [...folders].sort().flatMap(folder => ['--perms', '0755', '--dir', folder])
}

/** Programs, their libraries, and what fontconfig wants to know. */
const systemFolders = [
  ...['/usr', '/lib', '/lib64', '/bin', '/etc/alternatives', '/etc/ld.so.cache'],
  ...['/etc/fonts', '/var/cache/fontconfig'],
]

/** Read only; `/lib` is a link on a merged system and a folder on others. */
export function mount(path: string): string[] {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found) return []
  return found.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path]
}

const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(folder + sep)
