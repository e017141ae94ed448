// Files that come with a request in place of assets: how their parts are called, and which of them an entry uses.
import type { SortedExtras } from '#configurations/options.ts'
import type { ChainFiles, StoredFile } from '#db/tables.ts'
import type { LabelledFile } from './resolve.ts'

/** The part with the files for an asset parameter. In a group `…_data` belongs to configurations, which may be called like a parameter. */
export const partFor = (parameter: string, isGroup: boolean): string => `${parameter}${isGroup ? '_override' : '_data'}`

/** The files by parameter. An output that the extras name for the same parameter wins: they speak of this configuration alone. */
export const givenFiles = (files: ChainFiles, { overrides }: SortedExtras): Map<string, StoredFile[]> =>
  new Map(Object.entries(files).filter(([parameter]) => !overrides.has(parameter)))

export const labelled = (files: readonly StoredFile[], part: string): LabelledFile[] =>
  files.map((file, at) => ({
    ...file,
    label: files.length === 1 ? `The file of ${part}` : `File ${at + 1} of ${part}`,
  }))

export const blobsOf = (files: ChainFiles): string[] =>
  Object.values(files).flatMap(list => list.map(({ blob }) => blob))
