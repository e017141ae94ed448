// Runs one ffmpeg command under guard: reports progress, stops it when it is stuck, turns its error output into a problem.
import { spawn } from 'node:child_process'
import { symlink } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { cancellation, Problem } from '#kit/errors.ts'
import type { Tools } from '../file/media-limits.ts'
import { MediaProblem } from '../file/media-problem.ts'
import { isFull } from './answer-of.ts'
import { ffmpegProblem } from './ffmpeg-failure.ts'
import { guarded, guardsOf } from './sandbox.ts'

export interface FfmpegInput {
  path: string
  /** Name of the input in the recorded command: `{input}`, `{asset:logo}`. */
  label: string
  /** Options before its `-i`. */
  options: readonly string[]
}

export interface FfmpegCommand {
  inputs: readonly FfmpegInput[]
  /** Everything between the last input and the output. */
  options: readonly string[]
  /** A path inside `folder`; null for a command that only measures. */
  output: string | null
  /** Sets the log level to `info`, so that measuring filters print their results. */
  talks?: boolean
}

interface FfmpegJob {
  tools: Tools
  /** The only folder ffmpeg may write to. */
  folder: string
  /** Number of pixels of the largest frame; the memory limit depends on it. */
  pixels: number
  /** Additional memory for filters that hold frames back. */
  extraBytes?: number
  /** Expected length of the output in seconds, for progress. */
  seconds: number
  signal?: AbortSignal
  onProgress?: (fraction: number) => void
  /** Milliseconds without progress before the command counts as stuck. */
  stuckMs?: number
}

interface FfmpegDone {
  /** The command in the form that an operator sees. */
  command: string[]
  frames: number
  stderr: string
}

const STUCK_MS = 120_000
const KEPT = 16_000
const MOST_OUTPUT = 64 * 1024 ** 3
const MEMORY = 1536 * 1024 ** 2
const MEMORY_PER_PIXEL = 400
/** Upper limit of memory for frames that filters hold back. */
const MOST_HELD = 6 * 1024 ** 3
const CPU_SECONDS = 8 * 3600

/** Memory limit for frames of this many pixels. Memory for frames that are held back comes on top. */
const memoryFor = (pixels: number): number => MEMORY + pixels * MEMORY_PER_PIXEL
/** The highest memory limit of any command, when frames have at most this many pixels. */
export const mostMemory = (maxPixels: number): number => memoryFor(maxPixels * 2) + MOST_HELD

let runs = 0

export async function runFfmpeg(command: FfmpegCommand, job: FfmpegJob): Promise<FfmpegDone> {
  const { tools, folder } = job
  if (!tools.ffmpeg)
    throw new Problem('tool_missing', 'ffmpeg is not on this machine, so videos and sound cannot be worked on.')
  const names = await Promise.all(command.inputs.map(({ path }, i) => nameless(path, i, folder)))
  const head = [
    '-hide_banner',
    '-nostdin',
    '-y',
    '-v',
    command.talks ? 'info' : 'error',
    '-nostats',
    '-xerror',
    '-progress',
    'pipe:1',
    '-stats_period',
    '0.25',
  ]
  const line = [
    ...head,
    ...command.inputs.flatMap(({ options }, i) => [...options, '-i', names[i]!]),
    ...command.options,
    ...(command.output === null ? ['-f', 'null', '-'] : [command.output]),
  ]
  const bounds = {
    cpuSeconds: CPU_SECONDS,
    fileBytes: MOST_OUTPUT,
    memoryBytes: memoryFor(job.pixels) + (job.extraBytes ?? 0),
  }
  const [program, args] = guarded(tools.ffmpeg, line, guardsOf(tools), bounds)
  const { frames, stderr } = await watch(
    program,
    args,
    job,
    Math.min(bounds.memoryBytes, tools.mostMemoryBytes ?? Infinity),
  )
  return { command: asTold(command), frames, stderr }
}

/** Returns a path without an extension, so that ffmpeg cannot guess the format from it. */
async function nameless(path: string, i: number, folder: string): Promise<string> {
  if (extname(path) === '') return path
  const name = join(folder, `in-${++runs}-${i}`)
  await symlink(path, name)
  return name
}

/** The command as an operator would type it: without the guard options, with labels instead of paths. */
export const asTold = ({ inputs, options, output }: FfmpegCommand): string[] => [
  'ffmpeg',
  ...inputs.flatMap(({ options, label }) => [...withoutGuards(options), '-i', `{${label}}`]),
  ...options,
  ...(output === null ? ['-f', 'null', '-'] : ['{output}']),
]

const guardNames = new Set([
  '-protocol_whitelist',
  '-format_whitelist',
  '-codec_whitelist',
  '-max_pixels',
  '-max_streams',
  '-probesize',
  '-analyzeduration',
])

const withoutGuards = (options: readonly string[]): string[] =>
  options.filter((_, i) => !guardNames.has(options[i]!) && !guardNames.has(options[i - 1]!))

/** Not detached: ffmpeg stays in the media child's process group and dies with it. It inherits the nice value. */
function watch(
  program: string,
  args: string[],
  job: FfmpegJob,
  memoryBytes: number,
): Promise<{ frames: number; stderr: string }> {
  const { signal, onProgress, seconds, stuckMs = STUCK_MS } = job
  const { promise, resolve, reject } = Promise.withResolvers<{ frames: number; stderr: string }>()
  if (signal?.aborted) return Promise.reject(cancellation())
  const child = spawn(program, args, { env: {}, stdio: ['ignore', 'pipe', 'pipe'], cwd: '/' })
  let [stderr, rest, frames, seen, ended] = ['', '', 0, '', false]
  let verdict: Problem | null = null
  const stop = (problem: Problem): void => {
    verdict ??= problem
    child.kill('SIGKILL')
  }
  const stuck = (): void =>
    stop(
      new MediaProblem('media_failed', `Nothing has come of it for ${Math.round(stuckMs / 1000)} s.`, { crash: true }),
    )
  let watchdog = setTimeout(stuck, stuckMs)
  const onAbort = (): void => stop(cancellation())
  signal?.addEventListener('abort', onAbort, { once: true })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-KEPT)
  })
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const [key, value = ''] = line.split('=')
      if (key === 'frame') frames = Number(value)
      if (key === 'progress' && value === 'end') ended = true
      if (key !== 'out_time_us' || value === seen || value === 'N/A') continue
      seen = value
      clearTimeout(watchdog)
      watchdog = setTimeout(stuck, stuckMs)
      if (seconds > 0) onProgress?.(Math.min(1, Math.max(0, Number(value) / 1e6 / seconds)))
    }
  })
  child.on('error', error =>
    reject(
      new MediaProblem(isFull(error) ? 'unavailable' : 'tool_missing', 'ffmpeg could not be started.', {
        detail: error.message,
        cause: error,
      }),
    ),
  )
  child.on('close', (code, killedBy) => {
    clearTimeout(watchdog)
    signal?.removeEventListener('abort', onAbort)
    if (verdict) return reject(verdict)
    if (code === 0 && ended) return resolve({ frames, stderr })
    reject(ffmpegProblem({ stderr, code, signal: killedBy }, memoryBytes))
  })
  return promise
}
