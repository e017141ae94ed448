// Reads which fonts are installed on this machine: their families, and the characters they have.
import { closeSync, openSync, readSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type CharacterRange, coverageOf, familyOf, isFont, tablesOf } from './sfnt.ts'

/** The folder of Inter, which has a folder for each weight. */
export const shipped = dirname(createRequire(import.meta.url).resolve('@expo-google-fonts/inter/package.json'))
const folders = ['/usr/share/fonts', '/usr/local/share/fonts', '/Library/Fonts', '/System/Library/Fonts']

export interface InstalledFont {
  family: string
  path: string
  ranges: CharacterRange[]
}

let found: Promise<InstalledFont[]> | null = null

/** The fonts of this machine, Inter first. They are read once in a process. */
export function installedFonts(): Promise<InstalledFont[]> {
  found ??= Promise.all([join(shipped, '400Regular'), ...folders].map(scan)).then(lists => lists.flat())
  return found
}

/** The names that text can be set in, by name. A name that begins with a dot is the system's own. */
export const fontFamilies = async (): Promise<string[]> =>
  [...new Set((await installedFonts()).map(({ family }) => family))].filter(name => !name.startsWith('.')).sort()

async function scan(folder: string): Promise<InstalledFont[]> {
  const files = await readdir(folder, { recursive: true }).catch(() => [])
  return files.filter(file => /\.(ttf|otf|ttc)$/i.test(file)).flatMap(file => readFont(join(folder, file)) ?? [])
}

/** Null for a file that can't be read as a font: it counts as not installed. */
function readFont(path: string): InstalledFont | null {
  try {
    const file = openSync(path, 'r')
    try {
      return fontIn(file, path)
    } finally {
      closeSync(file)
    }
  } catch {
    return null
  }
}

/** Reads only the two tables that matter: Chinese fonts have tens of megabytes. */
function fontIn(file: number, path: string): InstalledFont | null {
  const read = (offset: number, length: number): Buffer => {
    const buffer = Buffer.alloc(length)
    return buffer.subarray(0, readSync(file, buffer, 0, length, offset))
  }
  const head = read(0, 4096)
  if (!isFont(head)) return null
  const wanted = tablesOf(head).filter(({ tag }) => tag === 'name' || tag === 'cmap')
  const size = Math.max(...wanted.map(({ offset, length }) => offset + length))
  const sparse = Buffer.alloc(Math.min(size, 64 * 1024 ** 2))
  head.copy(sparse)
  for (const { offset, length } of wanted) read(offset, length).copy(sparse, offset)
  const family = familyOf(sparse)
  return family ? { family, path, ranges: coverageOf(sparse) } : null
}
