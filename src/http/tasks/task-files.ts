// Reads the files that come with a request in place of assets.
import Type from 'typebox'
import type { ChainFiles, StoredFile } from '#db/tables.ts'
import { badField } from '#kit/errors.ts'
import { inputFile } from '#tasks/entry/input-file.ts'
import { FilePart, type Received } from '../wire/multipart.ts'

const DATA = '_data'
const OVERRIDE = '_override'

/** `data` itself is none: it is the file that the task is for. */
export const isFilesPart = (name: string): boolean => name.endsWith(DATA) && name.length > DATA.length
export const isGroupFilesPart = (name: string): boolean => name.endsWith(OVERRIDE) && name.length > OVERRIDE.length

/** The asset parameter that a part brings files for. */
export const parameterOf = (part: string): string => part.slice(0, part.lastIndexOf('_'))

/** For the reference: any further part of a task. */
export const FilesParts = Type.Union([Type.Array(FilePart('A file.')), FilePart('A file.'), Type.String()], {
  description:
    '`{asset parameter}_data`, as often as there are files: pictures, videos or sounds in place of the assets that the configuration names, for this task alone, in the order of the parts.',
})

/** Their first bytes tell their kind. The worker finds out the rest, because that may take long. */
export async function readFiles({ lists }: Received): Promise<ChainFiles> {
  const files: [parameter: string, files: StoredFile[]][] = []
  for (const [part, list] of lists) {
    const empty = list.findIndex(({ bytes }) => bytes === 0)
    if (empty >= 0) throw badField(part, list.length === 1 ? 'is empty' : `file ${empty + 1} is empty`)
    files.push([parameterOf(part), await Promise.all(list.map(inputFile))])
  }
  return Object.fromEntries(files)
}

export const parametersOf = ({ lists }: Received): string[] => [...lists.keys()].map(parameterOf)
