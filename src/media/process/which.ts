// Finds a program in PATH like a shell does.
import { access, constants } from 'node:fs/promises'
import { delimiter, isAbsolute, join, resolve } from 'node:path'

export async function which(name: string, path: string): Promise<string | null> {
  const candidates =
    name.includes('/') || isAbsolute(name) ? [resolve(name)] : path.split(delimiter).map(folder => join(folder, name))
  for (const candidate of candidates) {
    try {
      await access(candidate, constants.X_OK)
      return candidate
    } catch {
      // Not in this folder.
    }
  }
  return null
}
