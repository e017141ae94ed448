// The tools of this machine that media work uses; found once and remembered until one of them changes.
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { release } from 'node:os'
import { dirname, join } from 'node:path'
import { newId } from '#kit/ids.ts'
import { mediaEnvironment, type Settings, searchPath } from '#kit/settings.ts'
import type { Tools } from '#media/file/media-limits.ts'
import { findFfmpeg } from '#media/process/find-ffmpeg.ts'
import { describeJail, findJail } from '#media/process/find-jail.ts'
import type { Jail } from '#media/process/jail.ts'
import { which } from '#media/process/which.ts'
import { visiblePathsOf } from './visible-paths.ts'

interface FoundTools {
  tools: Tools
  /** What this machine can't do, a sentence each. */
  off: string[]
  /** What media children run inside of. */
  jail: Jail
  /** What is in force around each kind of child, a sentence each. */
  guards: Record<string, string>
}

/** Asking ffmpeg what it can do takes a second, so the answer is kept beside the data. */
export async function findTools(settings: Settings, script: string): Promise<FoundTools> {
  const file = join(settings.data, 'tools.json')
  const key = await keyOf(settings, script)
  try {
    const cached = JSON.parse(await readFile(file, 'utf8')) as { key: string; found: FoundTools }
    if (cached.key === key) return cached.found
  } catch {
    // Not there or not readable: looked up anew.
  }
  const found = await lookUp(settings, script)
  // A machine where it can't be kept is asked again at the next start.
  await keep(file, JSON.stringify({ key, found })).catch(() => {})
  return found
}

async function keep(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${newId()}`
  await writeFile(draft, text)
  await rename(draft, file)
}

async function keyOf({ ffmpeg, ffprobe, data, adapters }: Settings, script: string): Promise<string> {
  const names = [ffmpeg, ffprobe, 'jpegtran', 'prlimit', 'bwrap', 'setpriv']
  const parts = await Promise.all(
    names.map(async name => {
      const path = await which(name, searchPath())
      const facts = path ? await stat(path).catch(() => null) : null
      return [path, facts?.mtimeMs ?? 0, facts?.size ?? 0]
    }),
  )
  // What the kernel allows may change with the kernel, and what a program does with our own version.
  return JSON.stringify([parts, process.getuid?.() ?? 0, data, release(), process.execPath, script, adapters, JAIL])
}

/** Counted up when the jail is built in another way, so that every machine tries anew. */
const JAIL = 2

async function lookUp(settings: Settings, script: string): Promise<FoundTools> {
  const [found, jpegtran] = await Promise.all([findFfmpeg(settings, searchPath()), which('jpegtran', searchPath())])
  const usable = found !== null && found.missing.length === 0
  const programs = { ffmpeg: usable ? found.ffmpeg : null, ffprobe: usable ? found.ffprobe : null, jpegtran }
  const jail = await jailFor(settings, programs, script, join(settings.data, 'rooms'))
  const tools: Tools = {
    ...programs,
    prlimit: jail.prlimit,
    bwrap: bwrapInside(jail, found?.bwrap ?? null),
    ...(found ? { ffmpegVersion: found.version } : {}),
  }
  const off = usable
    ? []
    : [
        found
          ? `ffmpeg ${found.version} lacks ${found.missing.join(', ')}: the video adapters are off`
          : 'ffmpeg is missing: the video adapters are off',
      ]
  return { tools, off, jail, guards: guardsOf(jail) }
}

/** `rooms`: where they will be, or a place like it. */
export const jailFor = (
  settings: Settings,
  programs: Pick<Tools, 'ffmpeg' | 'ffprobe' | 'jpegtran'>,
  script: string,
  rooms: string,
): Promise<Jail> =>
  findJail(searchPath(), { sight: visiblePathsOf(settings, programs, script), env: mediaEnvironment(settings), rooms })

/** Inside of a child that is not jailed, or where it can be done once more inside of one that is. */
const bwrapInside = (jail: Jail, bwrap: string | null): string | null =>
  jail.bwrap === null || jail.nested ? bwrap : null

/** What is in force around each kind of child, a sentence each. */
export function guardsOf(jail: Jail): Record<string, string> {
  const around = describeJail(jail)
  const own = jail.nested ? 'namespaces of its own for each command' : 'the namespaces of its media child'
  return {
    pictures: around,
    videos: around,
    jpegtran: 'inside of a picture child, under limits of its own',
    ffmpeg: `inside of a media child, under limits of its own, ${own}, forced demuxer, lists of formats and codecs`,
  }
}
