// The tools of this machine that media work uses; found once and remembered until one of them changes.
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { release } from 'node:os'
import { dirname, join } from 'node:path'
import { newId } from '#kit/ids.ts'
import type { Log } from '#kit/log.ts'
import { mediaEnvironment, type Settings, searchPath } from '#kit/settings.ts'
import type { Tools } from '#media/file/media-limits.ts'
import { type Patience, untilAnswered, usualPatience } from '#media/process/answer-of.ts'
import { type FoundFfmpeg, findFfmpeg } from '#media/process/find-ffmpeg.ts'
import { describeJail, findJail } from '#media/process/find-jail.ts'
import type { Jail } from '#media/process/jail.ts'
import { which } from '#media/process/which.ts'
import { visiblePathsOf } from './visible-paths.ts'

type Programs = Pick<Tools, 'ffmpeg' | 'ffprobe' | 'jpegtran'>

interface FoundTools {
  tools: Tools
  /** What this machine can't do, a sentence each. */
  off: string[]
  /** What media children run inside of. */
  jail: Jail
  /** What is in force around each kind of child, a sentence each. */
  guards: Record<string, string>
}

/** Pictures need the jail alone; everything else waits until ffmpeg is known, too. */
interface Looks {
  /** The programs that are there, whatever they can do. */
  programs: Programs
  jail: Promise<Jail>
  found: Promise<FoundTools>
  /** What this machine can't do, and what it gave no answer about so far, a sentence each. */
  off(): string[]
}

interface Looking {
  log: Log
  /** Ends the looks. */
  signal?: AbortSignal
  /** How long the first try may take. */
  timeoutMs?: number
}

/**
 * Asking ffmpeg what it can do takes a second, so the answer is kept beside the data. A machine that is too busy to answer is asked
 * again until it does: what is taken for missing would stay so, and a weaker jail, too.
 */
export async function findTools(settings: Settings, script: string, { log, ...looking }: Looking): Promise<Looks> {
  const file = join(settings.data, 'tools.json')
  const [key, programs] = await Promise.all([keyOf(settings, script), programsOf(settings)])
  const kept = await keptIn(file, key)
  if (kept) return { programs, jail: Promise.resolve(kept.jail), found: Promise.resolve(kept), off: () => kept.off }
  let off: string[] = []
  const silences = new Map<string, string>()
  const look = <T>(work: string, once: (patience: Patience) => Promise<T>): Promise<T> =>
    untilAnswered(once, { ...usualPatience, ...looking }, silence => {
      if (silence === null) return void silences.delete(work)
      const sentence = `${silence.message} and is tried again: ${work} until it answers`
      if (silences.get(work) !== sentence) log.warn(sentence)
      silences.set(work, sentence)
    })
  const jail = look('media work waits', patience =>
    jailFor(settings, programs, script, join(settings.data, 'rooms'), patience),
  )
  const ffmpeg = look('videos wait', patience => findFfmpeg(settings, searchPath(), patience))
  const found = Promise.all([jail, ffmpeg]).then(async ([jail, ffmpeg]) => {
    const found = foundTools(programs, jail, ffmpeg)
    off = found.off
    // A machine where it can't be kept is asked again at the next start.
    await keep(file, JSON.stringify({ key, found })).catch(() => {})
    return found
  })
  // Work that waits for them hears of it.
  for (const look of [jail, found]) look.catch(() => {})
  return { programs, jail, found, off: () => [...off, ...silences.values()] }
}

/** Null: not there, not readable, or found out about other programs. */
async function keptIn(file: string, key: string): Promise<FoundTools | null> {
  try {
    const kept = JSON.parse(await readFile(file, 'utf8')) as { key: string; found: FoundTools }
    return kept.key === key ? kept.found : null
  } catch {
    return null
  }
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
  return JSON.stringify([parts, process.getuid?.() ?? 0, data, release(), process.execPath, script, adapters, LOOK])
}

/** Counted up when the looks are done in another way, so that every machine tries anew. */
const LOOK = 4

async function programsOf({ ffmpeg, ffprobe }: Settings): Promise<Programs> {
  const paths = [ffmpeg, ffprobe, 'jpegtran'].map(name => which(name, searchPath()))
  const [one = null, other = null, jpegtran = null] = await Promise.all(paths)
  return { ffmpeg: one, ffprobe: other, jpegtran }
}

function foundTools(programs: Programs, jail: Jail, ffmpeg: FoundFfmpeg | null): FoundTools {
  const off = videoOff(ffmpeg)
  const tools: Tools = {
    ...programs,
    ...(off.length > 0 ? { ffmpeg: null, ffprobe: null } : {}),
    prlimit: jail.prlimit,
    ...(ffmpeg ? { ffmpegVersion: ffmpeg.version } : {}),
  }
  return { tools, off, jail, guards: guardsOf(jail) }
}

/** What a machine with this ffmpeg can't do, a sentence each. */
export function videoOff(ffmpeg: FoundFfmpeg | null): string[] {
  if (ffmpeg === null) return ['ffmpeg is missing: the video adapters are off']
  const { version, missing } = ffmpeg
  return missing.length === 0 ? [] : [`ffmpeg ${version} lacks ${missing.join(', ')}: the video adapters are off`]
}

/** `rooms`: where they will be, or a place like it. */
export const jailFor = (
  settings: Settings,
  programs: Programs,
  script: string,
  rooms: string,
  patience: Patience = usualPatience,
): Promise<Jail> => {
  const trial = { sight: visiblePathsOf(settings, programs, script), env: mediaEnvironment(settings), rooms }
  return findJail(searchPath(), trial, patience)
}

/** What is in force around each kind of child, a sentence each. */
export function guardsOf(jail: Jail): Record<string, string> {
  const around = describeJail(jail)
  return {
    pictures: around,
    videos: around,
    jpegtran: 'inside of a picture child, under limits of its own',
    ffmpeg: 'inside of a media child, under limits of its own, forced demuxer, lists of formats and codecs',
  }
}
