// Manages the three folders of one media child (its room): input, output and /tmp. The child sees no other data file.
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

export interface ChildRoom {
  path: string
  /** Links to the input files of the current job. The child may only read them. */
  in: string
  out: string
  tmp: string
  /** User id of the child process; null when the child runs as the same user as the worker. */
  user: number | null
}

const READABLE = 0o444

/** `user`: the user id the child will run as, or null. */
export function newRoom(path: string, user: number | null): ChildRoom {
  const room = { path, in: join(path, 'in'), out: join(path, 'out'), tmp: join(path, 'tmp'), user }
  // Mode 711: a child with another user id and no namespaces must pass through this folder, but may not list it.
  mkdirSync(path, { recursive: true, mode: 0o711 })
  for (const folder of [room.in, room.out, room.tmp]) mkdirSync(folder, { mode: folder === room.in ? 0o755 : 0o700 })
  if (user !== null) for (const folder of [room.out, room.tmp]) chownSync(folder, user, user)
  return room
}

const PASS = 0o011

/** Opens the parent folders for children that run as another user without namespaces: they may pass through, but not list. */
export function letPass(rooms: string): void {
  for (const folder of [rooms, dirname(rooms)]) chmodSync(folder, (statSync(folder).mode & 0o777) | PASS)
}

/** Links a file into the child's input folder and returns the path there. The same file always gets the same name. */
export function show(room: ChildRoom, path: string, name = basename(path)): string | Promise<string> {
  const to = join(room.in, name)
  try {
    linkSync(path, to)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Two assets may be the same file, or two different files may have the same name.
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

function readable({ user }: ChildRoom, path: string): string {
  if (user === null) return path
  const { mode } = statSync(path)
  if ((mode & READABLE) !== READABLE) chmodSync(path, (mode | READABLE) & 0o777)
  return path
}

/**
 * Moves a file that the child made out of its room, to `to`. After the move the child has no path to the file, so the check
 * sees the file that we keep: it must be a plain file, not a link to one of our files.
 */
export function takeOut(room: ChildRoom, path: string, to: string): void {
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

/** Above this number of files, `empty` works asynchronously, so it does not block the event loop. */
const FEW = 64

/** Empties the room. Returns a promise only when there is a folder or more than FEW files to remove. */
export function empty(room: ChildRoom): void | Promise<void> {
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

async function emptyAll(room: ChildRoom): Promise<void> {
  for (const folder of [room.in, room.out, room.tmp]) {
    const handle = opendirSync(folder)
    for await (const { name } of handle) await rm(join(folder, name), { recursive: true, force: true })
  }
}

export const removeRoom = (room: ChildRoom): Promise<void> =>
  rm(room.path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
