// Finds ffmpeg and prlimit once at start, and checks which features this build has.
import { answerOf, type Patience, usualPatience } from './answer-of.ts'
import { type Guards, guarded } from './sandbox.ts'
import { which } from './which.ts'

export interface FoundFfmpeg extends Guards {
  ffmpeg: string
  ffprobe: string
  version: string
  /** Required features that this build lacks; empty when it has all. */
  missing: string[]
}

const OLDEST: [major: number, minor: number] = [5, 1]

const needed = {
  encoders: ['libx264', 'aac', 'libvpx-vp9', 'libopus', 'libmp3lame', 'libwebp_anim', 'gif', 'flac', 'pcm_s16le'],
  decoders: ['h264', 'hevc', 'libvpx-vp9', 'aac', 'opus'],
  filters: [
    'zscale',
    'tonemap',
    'xfade',
    'overlay',
    'concat',
    'fps',
    'perspective',
    'ebur128',
    'sidechaincompress',
    'haldclut',
    'alphamerge',
    'alimiter',
    'paletteuse',
    'bwdif',
  ],
}

/**
 * Null when there is no ffmpeg that runs. `path` is searched like PATH in a shell. Throws `NoAnswer` when the machine kept it from
 * answering: then nothing is known, neither of ffmpeg nor of its guards.
 */
export async function findFfmpeg(
  names: { ffmpeg: string; ffprobe: string },
  path: string,
  patience: Patience = usualPatience,
): Promise<FoundFfmpeg | null> {
  const [ffmpeg, ffprobe, prlimit = null] = await Promise.all(
    [names.ffmpeg, names.ffprobe, 'prlimit'].map(name => which(name, path)),
  )
  if (!ffmpeg || !ffprobe) return null
  const runs = await tryGuards(ffmpeg, { prlimit }, patience)
  if (!runs) return null
  const { version, guards } = runs
  const missing = [
    ...(isSupported(version) ? [] : [`version ${OLDEST.join('.')} or newer`]),
    ...(await missingFeatures(ffmpeg, patience)),
  ]
  return { ffmpeg, ffprobe, version, missing, ...guards }
}

/** Its version, and those guards under which it runs here; null: it does not run at all. */
async function tryGuards(
  ffmpeg: string,
  wanted: Guards,
  patience: Patience,
): Promise<{ version: string; guards: Guards } | null> {
  const under = (guards: Guards) => versionUnder(ffmpeg, guards, patience)
  // The usual case first: each run of ffmpeg loads a hundred libraries.
  const guardedVersion = await under(wanted)
  if (guardedVersion) return { version: guardedVersion, guards: wanted }
  const none: Guards = { prlimit: null }
  const version = await under(none)
  return version ? { version, guards: none } : null
}

/** A build from git has a version like `N-…` and counts as new. */
function isSupported(version: string): boolean {
  const found = /^n?(\d+)\.(\d+)/.exec(version)
  if (!found) return true
  const [major, minor] = [Number(found[1]), Number(found[2])]
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
}

async function missingFeatures(ffmpeg: string, patience: Patience): Promise<string[]> {
  const lists = await Promise.all(
    Object.entries(needed).map(async ([kind, names]) => {
      const said = await answerOf('ffmpeg', patience, run => run(ffmpeg, ['-hide_banner', `-${kind}`]))
      const have = new Set(said?.split('\n').map(line => line.trim().split(/\s+/)[1]))
      return names.filter(name => !have.has(name)).map(name => `${kind.slice(0, -1)} ${name}`)
    }),
  )
  return lists.flat()
}

/** Tries the same command line that will be used later, because a container may forbid namespaces; null: it does not run so. */
async function versionUnder(ffmpeg: string, guards: Guards, patience: Patience): Promise<string | null> {
  const bounds = { cpuSeconds: 60, fileBytes: 1e6, memoryBytes: 2e9 }
  return await answerOf('ffmpeg', patience, async run => {
    const said = await run(...guarded(ffmpeg, ['-version'], guards, bounds))
    return /^ffmpeg version (\S+)/.exec(said)?.[1] ?? null
  })
}
