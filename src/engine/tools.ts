// The tools of this machine that media work uses; found once and remembered until one of them changes.
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { newId } from '#kit/ids.ts'
import { type Settings, searchPath } from '#kit/settings.ts'
import { findFfmpeg, which } from '#media/ffmpeg-tools.ts'
import type { Tools } from '#media/limits.ts'

export interface FoundTools {
  tools: Tools
  /** What this machine can't do, a sentence each. */
  off: string[]
  /** What guards ffmpeg here. */
  guards: string | null
}

/** Asking ffmpeg what it can do takes a second, so the answer is kept beside the data. */
export async function findTools(settings: Settings): Promise<FoundTools> {
  const file = join(settings.data, 'tools.json')
  const key = await keyOf(settings)
  try {
    const kept = JSON.parse(await readFile(file, 'utf8')) as { key: string; found: FoundTools }
    if (kept.key === key) return kept.found
  } catch {
    // Not there or not readable: looked up anew.
  }
  const found = await lookUp(settings)
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

async function keyOf({ ffmpeg, ffprobe, data }: Settings): Promise<string> {
  const names = [ffmpeg, ffprobe, 'jpegtran', 'prlimit', 'bwrap']
  const parts = await Promise.all(
    names.map(async name => {
      const path = await which(name, searchPath())
      const facts = path ? await stat(path).catch(() => null) : null
      return [path, facts?.mtimeMs ?? 0, facts?.size ?? 0]
    }),
  )
  return JSON.stringify([parts, process.getuid?.() ?? 0, data])
}

async function lookUp(settings: Settings): Promise<FoundTools> {
  const [found, jpegtran] = await Promise.all([findFfmpeg(settings, searchPath()), which('jpegtran', searchPath())])
  const usable = found !== null && found.missing.length === 0
  const tools: Tools = {
    ffmpeg: usable ? found.ffmpeg : null,
    ffprobe: usable ? found.ffprobe : null,
    jpegtran,
    prlimit: found?.prlimit ?? null,
    bwrap: found?.bwrap ?? null,
    ...(found ? { ffmpegVersion: found.version } : {}),
    cacheFolder: join(settings.data, 'cache'),
  }
  const off = usable
    ? []
    : [
        found
          ? `ffmpeg ${found.version} lacks ${found.missing.join(', ')}: the video adapters are off`
          : 'ffmpeg is missing: the video adapters are off',
      ]
  return { tools, off, guards: found?.guards ?? null }
}
