// Files that are there after a power cut: written aside, synced, renamed into place, the folder synced, as Keepsake does.
import { mkdirSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'

export interface Shelf {
  /** `write` has to sync what it writes. */
  keep(name: string, write: (aside: string) => Promise<unknown>): Promise<string>
}

export function shelf(folder: string): Shelf {
  mkdirSync(folder, { recursive: true })
  return {
    async keep(name, write) {
      const [aside, path] = [join(folder, `.${name}`), join(folder, name)]
      await write(aside)
      await rename(aside, path)
      const place = await open(folder, 'r')
      try {
        await place.sync()
      } finally {
        await place.close()
      }
      return path
    },
  }
}
