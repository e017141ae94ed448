// Where commands save results: nothing that is in the folder is overwritten unless that is asked for.
import { randomUUID } from 'node:crypto'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

export interface SavedFiles {
  /** Has a file written, and returns the path that it then has: the name, with a number behind it where that is taken. */
  save(name: string, extension: string, write: (path: string) => Promise<void>): Promise<string>
}

/** `force` replaces files from before; results of this run still never replace each other. */
export async function savedIn(folder: string, force: boolean): Promise<SavedFiles> {
  await mkdir(folder, { recursive: true })
  const ours = new Set<string>()
  const take = async (path: string): Promise<boolean> => {
    // Many file systems take names that differ only in case for one.
    const same = path.normalize('NFC').toLowerCase()
    if (ours.has(same)) return false
    ours.add(same)
    return force || isNew(path)
  }
  return {
    async save(name, extension, write) {
      const partial = join(folder, `.${randomUUID()}.part`)
      try {
        await write(partial)
        let path = join(folder, `${name}${extension}`)
        for (let number = 2; !(await take(path)); number++) path = join(folder, `${name} ${number}${extension}`)
        await rename(partial, path)
        return path
      } catch (error) {
        await rm(partial, { force: true })
        throw error
      }
    },
  }
}

/** Takes the name by making the file: two commands at once never get the same one. */
async function isNew(path: string): Promise<boolean> {
  try {
    await (await open(path, 'wx')).close()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
