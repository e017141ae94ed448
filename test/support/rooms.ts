// Rooms, jails and works for tests of media children.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { copyFile, mkdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PreparedAssets } from '#media/make/prepared-clips.ts'
import { untilAnswered } from '#media/process/answer-of.ts'
import { type ChildRoom, newRoom } from '#media/process/child-room.ts'
import { findJail, nextUser } from '#media/process/find-jail.ts'
import { jailLine } from '#media/process/jail.ts'
import type { Work } from '#media/process/pool.ts'
import { knownJail } from './known-tools.ts'
import { root } from './markdown.ts'

const parent = mkdtempSync(join(tmpdir(), 'keepsake-rooms-'))
// Another user has to get to its room.
chmodSync(parent, 0o711)
process.on('exit', () => rmSync(parent, { recursive: true, force: true, maxRetries: 5 }))

/** What this machine allows. */
export const sight = {
  reads: [...['src', 'node_modules', 'package.json', 'test'].map(name => join(root, name)), process.execPath],
  hides: [],
}
export const jail = await knownJail(() =>
  untilAnswered(patience =>
    findJail(process.env.PATH ?? '', { sight, env: {}, rooms: join(parent, 'trial') }, patience),
  ),
)

let count = 0
export const roomFolder = (): string => join(parent, String(++count))
/** For a child that is not jailed. */
export const plainRoom = (): ChildRoom => newRoom(roomFolder(), null)
/** For one that is, as far as this machine allows. */
export const jailedRoom = (): ChildRoom => newRoom(roomFolder(), nextUser(jail))

/** What stands before a child that is jailed. */
export const jailed = (room: ChildRoom): string[] => jailLine(jail, room, sight, { memoryBytes: 3 * 1024 ** 3 })

/** A job that brings and takes no files. */
export const order = <T>(request: unknown): Work<T> => ({ bring: () => request, take: (_room, answer) => answer as T })

/** Prepared assets in a folder of this process. */
export const preparedIn = (folder: string): PreparedAssets => ({
  take: key =>
    stat(join(folder, key)).then(
      () => join(folder, key),
      () => null,
    ),
  async keep(key, path) {
    await mkdir(folder, { recursive: true })
    await copyFile(path, join(folder, key))
  },
  forget: key => rm(join(folder, key), { force: true }),
})
