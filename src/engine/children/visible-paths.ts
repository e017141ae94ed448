// What a media child sees of this machine beside its room.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Settings } from '#kit/settings.ts'
import type { Tools } from '#media/file/media-limits.ts'
import type { VisiblePaths } from '#media/process/jail.ts'
import { foldersOf, modulesAbove } from '../foreign-packages.ts'

const project = fileURLToPath(new URL('../../../', import.meta.url))

/** The code, the programs and nothing else: above all not the project's own folder, in which the data may lie. */
export function visiblePathsOf(
  { adapters, data }: Pick<Settings, 'adapters' | 'data'>,
  tools: Pick<Tools, 'ffmpeg' | 'ffprobe' | 'jpegtran'>,
  script: string,
): VisiblePaths {
  const programs = [process.execPath, tools.ffmpeg, tools.ffprobe, tools.jpegtran].filter(path => path !== null)
  // Where Keepsake is itself a package, what it depends on lies beside it.
  const code = [...['src', 'package.json'].map(name => join(project, name)), ...modulesAbove(project)]
  const reads = [...code, dirname(script), ...programs, ...adapters.flatMap(foldersOf)]
  return { reads: [...new Set(reads)], hides: [data] }
}
