// What a media child sees of this machine beside its room.
import { realpathSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Settings } from '#kit/settings.ts'
import type { Tools } from '#media/file/media-limits.ts'
import type { Sight } from '#media/process/jail.ts'

const project = fileURLToPath(new URL('../../../', import.meta.url))

/** The code, the programs and nothing else: above all not the project's own folder, in which the data may lie. */
export function sightOf(
  { adapters, data }: Pick<Settings, 'adapters' | 'data'>,
  tools: Pick<Tools, 'ffmpeg' | 'ffprobe' | 'jpegtran'>,
  script: string,
): Sight {
  const programs = [process.execPath, tools.ffmpeg, tools.ffprobe, tools.jpegtran].filter(path => path !== null)
  const code = ['src', 'node_modules', 'package.json'].map(name => join(project, name))
  const reads = [...code, dirname(script), ...programs, ...adapters.flatMap(foldersOfPackage)]
  return { reads: [...new Set(reads)], hides: [data] }
}

/** Where a package of somebody else lies, which may be a link to another place. */
function foldersOfPackage(name: string): string[] {
  try {
    const file = fileURLToPath(import.meta.resolve(name))
    const manifest = findPackageJSON(name, import.meta.url)
    const isOurs = manifest === undefined || dirname(manifest) === dirname(join(project, 'package.json'))
    const folder = isOurs ? dirname(file) : dirname(manifest)
    return [folder, realpathSync(folder)]
  } catch {
    return [] // The one that loads it says what is wrong.
  }
}
