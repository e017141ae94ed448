// What is dear to make or to find out, and the same for all test files of a run: the first one to need it keeps it for the others.
import { randomBytes } from 'node:crypto'
import { copyFile, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The folder in which a run keeps what its files share; of a file that is run alone, nowhere. */
export const SHARED = 'KEEPSAKE_TEST_SHARED'

/** What was kept under a name; null: nothing yet. */
export async function keptInRun(name: string): Promise<string | null> {
  const folder = process.env[SHARED]
  return folder ? readFile(join(folder, name), 'utf8').catch(() => null) : null
}

/** Kept whole or not at all, whoever else does the same just now. */
export async function keepInRun(name: string, text: string): Promise<void> {
  const folder = process.env[SHARED]
  if (!folder) return
  const writing = join(folder, `${name}.${randomBytes(4).toString('hex')}`)
  await writeFile(writing, text)
  await rename(writing, join(folder, name))
}

export async function onceInRun(name: string, make: () => Promise<string>): Promise<string> {
  const kept = await keptInRun(name)
  if (kept !== null) return kept
  const text = await make()
  await keepInRun(name, text)
  return text
}

/** A file as it was made by the first; each has a copy of its own, which it may spoil. Where it is not kept, `make` makes it there. */
export async function fileOnceInRun(name: string, path: string, make: () => Promise<unknown>): Promise<void> {
  const folder = process.env[SHARED]
  const kept = folder && join(folder, name)
  const isCopied = (from: string): Promise<boolean> =>
    copyFile(from, path).then(
      () => true,
      () => false,
    )
  if (kept && (await isCopied(kept))) return
  await make()
  if (!kept) return
  const writing = `${kept}.${randomBytes(4).toString('hex')}`
  await copyFile(path, writing)
  await rename(writing, kept)
}
