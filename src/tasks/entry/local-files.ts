// Files of the blob store as local files for the tools, and the folders that work is done in.
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { StoredFile } from '#db/tables.ts'
import type { MediaFile } from '#engine/files.ts'
import { isProblem, Problem } from '#kit/errors.ts'
import type { Loaded } from './loaded.ts'

/** An empty folder for what a segment makes. */
export function newFolder(parent: string, name = 'out'): string {
  const folder = join(parent, name)
  mkdirSync(folder)
  return folder
}

/** A file of the blob store as the tools see it. */
export async function localFile(
  { services }: { services: Pick<Loaded['services'], 'blobs'> },
  { blob, ...facts }: StoredFile,
  folder: string,
): Promise<MediaFile> {
  return { ...facts, path: await services.blobs.local(blob, folder) }
}

/**
 * Works on files of the store. If one of them is no longer there when that fails, the store went away meanwhile, and what was
 * said of the file says nothing: it is tried again. An outcome that is not known stays so.
 */
export async function withFiles<T>(files: readonly MediaFile[], work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isProblem(error, 'outcome_unknown') || files.every(({ path }) => existsSync(path))) throw error
    throw new Problem('unavailable', 'The file store cannot be used now.', { cause: error })
  }
}

export const assetsOf = ({ assets }: { assets: Record<string, MediaFile[]> }): MediaFile[] =>
  Object.values(assets).flat()
