// Brings files of the blob store to local paths for the tools, and makes work folders.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { StoredFile } from '#db/tables.ts'
import type { MediaFile } from '#engine/files.ts'
import { isProblem, Problem } from '#kit/errors.ts'
import { makeWorkFolder } from '#storage/work-folders.ts'
import type { Loaded } from './loaded.ts'

/** An empty folder, for the files of a segment or its output alone. */
export const newFolder = (parent: string, name = 'out'): string => makeWorkFolder(join(parent, name))

/** A file of the blob store with a local path. What has to be fetched is fetched once for a whole run: branches of a chain share it. */
export async function localFile(
  {
    services,
    folder,
    signal,
    clock,
  }: Pick<Loaded, 'folder' | 'signal' | 'clock'> & {
    services: Pick<Loaded['services'], 'blobs'>
  },
  { blob, ...facts }: StoredFile,
): Promise<MediaFile> {
  const rest = clock?.start()
  try {
    return { ...facts, path: await services.blobs.local(blob, folder, signal) }
  } finally {
    rest?.()
  }
}

/**
 * Works on files of the blob store. If the work fails and one of the files is gone, the store went away meanwhile. The error then says
 * nothing about the file, so the work is tried again. An `outcome_unknown` is never replaced: the delivery may have arrived.
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
