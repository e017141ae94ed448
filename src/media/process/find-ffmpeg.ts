// Finds ffmpeg and its guards (prlimit, bwrap) once at start, and checks which features this build has.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Guards, guarded } from './sandbox.ts'
import { which } from './which.ts'

interface FoundFfmpeg extends Guards {
  ffmpeg: string
  ffprobe: string
  version: string
  /** Required features that this build lacks; empty when it has all. */
  missing: string[]
}

const run = promisify(execFile)
const OLDEST: [major: number, minor: number] = [5, 1]
const TIMEOUT_MS = 15_000

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

const found = new Map<string, Promise<FoundFfmpeg | null>>()

/** Null when there is no ffmpeg that runs. `path` is searched like PATH in a shell. Each is looked at once in a process. */
export function findFfmpeg(names: { ffmpeg: string; ffprobe: string }, path: string): Promise<FoundFfmpeg | null> {
  const key = [names.ffmpeg, names.ffprobe, path].join('\n')
  const looking = found.get(key) ?? look(names, path)
  found.set(key, looking)
  return looking
}

async function look(names: { ffmpeg: string; ffprobe: string }, path: string): Promise<FoundFfmpeg | null> {
  const [ffmpeg, ffprobe, prlimit = null, bwrap = null] = await Promise.all(
    [names.ffmpeg, names.ffprobe, 'prlimit', 'bwrap'].map(name => which(name, path)),
  )
  if (!ffmpeg || !ffprobe) return null
  const runs = await tryGuards(ffmpeg, { prlimit, bwrap })
  if (!runs) return null
  const { version, guards } = runs
  const missing = [
    ...(isSupported(version) ? [] : [`version ${OLDEST.join('.')} or newer`]),
    ...(await missingFeatures(ffmpeg)),
  ]
  return { ffmpeg, ffprobe, version, missing, ...guards }
}

/** Its version, and those guards under which it runs here; null: it does not run at all. */
async function tryGuards(ffmpeg: string, wanted: Guards): Promise<{ version: string; guards: Guards } | null> {
  // The usual case first: each run of ffmpeg loads a hundred libraries.
  const guardedVersion = await versionUnder(ffmpeg, wanted)
  if (guardedVersion) return { version: guardedVersion, guards: wanted }
  const version = await ffmpegVersion(ffmpeg)
  if (!version) return null
  const none: Guards = { prlimit: null, bwrap: null }
  const limited: Guards = { ...none, prlimit: wanted.prlimit }
  const guards = (await versionUnder(ffmpeg, limited)) ? limited : none
  const jailed: Guards = { ...guards, bwrap: wanted.bwrap }
  return { version, guards: (await versionUnder(ffmpeg, jailed)) ? jailed : guards }
}

export async function ffmpegVersion(ffmpeg: string): Promise<string | null> {
  try {
    return versionIn((await run(ffmpeg, ['-version'], { timeout: TIMEOUT_MS, env: {} })).stdout)
  } catch {
    return null
  }
}

const versionIn = (text: string): string | null => /^ffmpeg version (\S+)/.exec(text)?.[1] ?? null

/** A build from git has a version like `N-…` and counts as new. */
function isSupported(version: string): boolean {
  const found = /^n?(\d+)\.(\d+)/.exec(version)
  if (!found) return true
  const [major, minor] = [Number(found[1]), Number(found[2])]
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
}

async function missingFeatures(ffmpeg: string): Promise<string[]> {
  const lists = await Promise.all(
    Object.entries(needed).map(async ([kind, names]) => {
      const { stdout } = await run(ffmpeg, ['-hide_banner', `-${kind}`], {
        timeout: TIMEOUT_MS,
        env: {},
        maxBuffer: 8 * 1024 ** 2,
      })
      const have = new Set(stdout.split('\n').map(line => line.trim().split(/\s+/)[1]))
      return names.filter(name => !have.has(name)).map(name => `${kind.slice(0, -1)} ${name}`)
    }),
  )
  return lists.flat()
}

/** Tries the same command line that will be used later, because a container may forbid namespaces; null: it does not run so. */
async function versionUnder(ffmpeg: string, guards: Guards): Promise<string | null> {
  const folder = await mkdtemp(join(tmpdir(), 'keepsake-guard-'))
  try {
    const bounds = { cpuSeconds: 60, fileBytes: 1e6, memoryBytes: 2e9 }
    const [command, args] = guarded(ffmpeg, ['-version'], guards, bounds, { folder, reads: [] })
    return versionIn((await run(command, args, { timeout: TIMEOUT_MS, env: {} })).stdout)
  } catch {
    return null
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
