// The three folders of one media child: what it may read, what it may write, and its /tmp. It sees no other file of ours.
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  opendirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { copyFile, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Problem } from '#kit/errors.ts'

export interface ChildFolders {
  path: string
  /** Links to the files of the job under way; read only for the child. */
  in: string
  /** What the child makes. */
  out: string
  tmp: string
  /** The user that the child becomes; null where it stays who we are. */
  user: number | null
}

const READABLE = 0o444

/** `user`: who the child will be, or null. */
export function newRoom(path: string, user: number | null): ChildFolders {
  const room = { path, in: join(path, 'in'), out: join(path, 'out'), tmp: join(path, 'tmp'), user }
  // Others may pass through, which is needed where the child is another user and has no namespaces; they may not list.
  mkdirSync(path, { recursive: true, mode: 0o711 })
  for (const folder of [room.in, room.out, room.tmp]) mkdirSync(folder, { mode: folder === room.in ? 0o755 : 0o700 })
  if (user !== null) for (const folder of [room.out, room.tmp]) chownSync(folder, user, user)
  return room
}

const PASS = 0o011

/** Lets a child that is another user, and has no namespaces, get to its room. It can pass our folders, not list them. */
export function letPass(rooms: string): void {
  for (const folder of [rooms, dirname(rooms)]) chmodSync(folder, (statSync(folder).mode & 0o777) | PASS)
}

/** Shows a file to the child, under a name that stays the same for the same file. Answers where the child finds it. */
export function show(room: ChildFolders, path: string, name = basename(path)): string | Promise<string> {
  const to = join(room.in, name)
  try {
    linkSync(path, to)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Two assets may be the same file, or two files may have the same name.
    if (code === 'EEXIST') return isSame(path, to) ? to : show(room, path, `${name}-`)
    if (code === 'ENOENT') throw new Problem('unavailable', 'The file store cannot be used now.', { cause: error })
    return copyFile(path, to).then(() => readable(room, to))
  }
  return readable(room, to)
}

function isSame(a: string, b: string): boolean {
  const [one, other] = [statSync(a), statSync(b)]
  return one.ino === other.ino && one.dev === other.dev
}

function readable({ user }: ChildFolders, path: string): string {
  if (user === null) return path
  const { mode } = statSync(path)
  if ((mode & READABLE) !== READABLE) chmodSync(path, (mode | READABLE) & 0o777)
  return path
}

/**
 * Takes a file that the child has made out of its room, to `to`. Once it is moved the child has no path to it any more, so what is
 * looked at then is what is kept: a plain file, and not a link to one of ours.
 */
export function takeOut(room: ChildFolders, path: string, to: string): void {
  if (dirname(path) !== room.out) throw notPlain()
  renameSync(path, to)
  if (!lstatSync(to).isFile()) {
    rmSync(to, { recursive: true, force: true })
    throw notPlain()
  }
  if (room.user === null) return
  chownSync(to, process.getuid!(), process.getgid!())
  chmodSync(to, 0o644)
}

const notPlain = (): Problem =>
  new Problem('media_failed', 'The media child handed on something that is no file of its own.')

/** So many files are removed at once without letting others work. */
const FEW = 64

/** Empties the room. Nobody waits where there is little to remove; what takes longer is removed beside other work. */
export function empty(room: ChildFolders): void | Promise<void> {
  const left: string[] = []
  for (const folder of [room.in, room.out, room.tmp]) {
    const handle = opendirSync(folder)
    try {
      for (let entry = handle.readSync(); entry; entry = handle.readSync()) {
        if (entry.isDirectory() || left.length === FEW) return emptyAll(room)
        left.push(join(folder, entry.name))
      }
    } finally {
      handle.closeSync()
    }
  }
  for (const path of left) rmSync(path, { force: true })
}

async function emptyAll(room: ChildFolders): Promise<void> {
  for (const folder of [room.in, room.out, room.tmp]) {
    const handle = opendirSync(folder)
    for await (const { name } of handle) await rm(join(folder, name), { recursive: true, force: true })
  }
}

export const removeRoom = (room: ChildFolders): Promise<void> =>
  rm(room.path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
