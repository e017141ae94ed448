// Folders for the files of one piece of work: removed when the work ends, swept when its process died.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { newId } from '#kit/ids.ts'
import { placeProblem } from '#kit/process/machine-problem.ts'
import { isLeftover, ownMark } from './process-mark.ts'

export interface WorkFolder extends AsyncDisposable {
  path: string
}

const parentOf = (dataFolder: string): string => join(dataFolder, 'work')
const roomsOf = (dataFolder: string): string => join(dataFolder, 'rooms')

/** Made by what first needs it (`makeWorkFolder`): much work needs none, and goes on while this disk is full. */
export async function newWorkFolder(dataFolder: string): Promise<WorkFolder> {
  const path = join(parentOf(dataFolder), `${await ownMark()}.${newId()}`)
  return { path, [Symbol.asyncDispose]: async () => remove(path) }
}

/** Makes a folder in a work folder, and that. Synchronous: the hops through the thread pool cost more than such a call on a local disk. */
export function makeWorkFolder(path: string): string {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    return path
  } catch (error) {
    throw placeProblem(error, 'The work folder')
  }
}

/** A full disk may still take a few bytes. */
const ROOM = Buffer.alloc(1024 ** 2)

/** Why work on media cannot have its folders now, in one sentence; null where it can. */
export async function workFolderOff(dataFolder: string): Promise<string | null> {
  const { path } = await newWorkFolder(dataFolder)
  try {
    writeFileSync(join(makeWorkFolder(path), 'tried'), ROOM)
    return null
  } catch (error) {
    const { code = 'unknown' } = ((error as Error).cause ?? error) as NodeJS.ErrnoException
    return `the work folder cannot be written (${code}): pictures and videos are off`
  } finally {
    remove(path)
  }
}

/** The folder for the rooms of this process's media children. */
export const roomsFolder = async (dataFolder: string): Promise<string> =>
  join(roomsOf(dataFolder), `${await ownMark()}.${newId()}`)

/** Removes the folders of dead processes. Returns the count. */
export async function sweepWorkFolders(dataFolder: string): Promise<number> {
  return (await sweep(parentOf(dataFolder))) + (await sweep(roomsOf(dataFolder)))
}

async function sweep(parent: string): Promise<number> {
  let swept = 0
  for (const name of await readdir(parent).catch(() => [])) {
    const path = join(parent, name)
    const facts = await stat(path).catch(() => null)
    if (facts === null || !(await isLeftover(name, facts.mtime))) continue
    remove(path)
    swept++
  }
  return swept
}

/** A tool that is just being killed may still write into the folder, so the removal is tried several times. */
const remove = (path: string): void => rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
