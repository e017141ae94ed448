// The media children as the rest of the service sees them: probe a file, run a segment, within the memory there is.
import { availableParallelism } from 'node:os'
import type { Log } from '#kit/log.ts'
import { mediaEnvironment, type Settings } from '#kit/settings.ts'
import type { Facts, MediaFile } from '#media/file.ts'
import { sizeFromHead } from '#media/head-size.ts'
import { type MediaLimits, memoryNeeded, type Tools } from '#media/limits.ts'
import { newPool, type PoolStats } from '#media/pool.ts'
import { newBudget } from './budget.ts'
import type { ChildRequest, ProgressEvent, SegmentRequest, SegmentResult } from './segment.ts'

export type SegmentWork = Pick<SegmentRequest, 'form' | 'input' | 'entries' | 'folder'>

export interface MediaRun {
  signal?: AbortSignal
  timeoutMs?: number
  /** The work has left the queue for a media child. */
  onBegin?: () => void
  onProgress?: (index: number, fraction: number) => void
}

export interface Media {
  probe(path: string, signal?: AbortSignal): Promise<Facts>
  run(work: SegmentWork, options?: MediaRun): Promise<SegmentResult>
  stats(): { pictures: PoolStats; videos: PoolStats }
  drain(): Promise<void>
}

const PROBE_MS = 30_000

export interface MediaOptions {
  settings: Settings
  /** May still be looked for when the first work comes. */
  tools: Promise<Tools>
  /** The file that a media child runs. */
  script: string
  keepWarm: number
  log: Log
}

export function newMedia({ settings, tools, script, keepWarm, log }: MediaOptions): Media {
  const { concurrency } = settings
  // Pictures and videos have children of their own, so that a photo never waits behind an encode.
  const env = mediaEnvironment(settings)
  const pictures = newPool({ script, size: concurrency * 2, keepWarm, env, log })
  const videos = newPool({ script, size: concurrency, env, log })
  const memory = newBudget(settings.maxMemoryBytes)
  const limits = mediaLimits(settings)
  pictures.warm()

  const threads = (): number => {
    const { busy, waiting } = videos.stats()
    return busy + waiting >= concurrency ? 1 : availableParallelism()
  }

  async function probe(path: string, signal?: AbortSignal): Promise<Facts> {
    const request: ChildRequest = { kind: 'probe', path, limits, tools: await tools }
    return pictures.run<Facts>(request, { timeoutMs: PROBE_MS, ...(signal ? { signal } : {}) })
  }

  /** A few kilobytes can ask for gigabytes, so room is only reserved by what the header says. */
  async function sized(input: MediaFile, signal?: AbortSignal): Promise<Facts> {
    if (input.medium !== 'image' || input.width !== null) return input
    const size = sizeFromHead(input.path)
    if (size) return { ...input, ...size }
    // A file that cannot even be probed takes no memory; its entry says why it failed.
    return probe(input.path, signal).catch(() => input)
  }

  return {
    probe,
    async run(work, { signal, timeoutMs, onBegin, onProgress } = {}) {
      const request: ChildRequest = { kind: 'segment', ...work, limits, tools: await tools, threads: threads() }
      const onEvent = (event: unknown): void => {
        const { progress } = event as ProgressEvent
        onProgress?.(progress.index, progress.fraction)
      }
      const options = {
        onEvent,
        ...(onBegin ? { onBegin } : {}),
        ...(signal ? { signal } : {}),
        ...(timeoutMs ? { timeoutMs } : {}),
      }
      if (work.form !== 'image' && work.input.medium !== 'image') return videos.run<SegmentResult>(request, options)
      using _room = await memory.reserve(memoryNeeded(await sized(work.input, signal)), signal)
      return await (work.form === 'image' ? pictures : videos).run<SegmentResult>(request, options)
    },
    stats: () => ({ pictures: pictures.stats(), videos: videos.stats() }),
    async drain() {
      await Promise.all([pictures.drain(), videos.drain()])
    },
  }
}

export function mediaLimits(settings: Settings): MediaLimits {
  const { maxPixels, maxFrames, maxMemoryBytes, maxVideoSeconds, maxVideoPixels, maxVideoFps } = settings
  return { maxPixels, maxFrames, maxMemoryBytes, maxVideoSeconds, maxVideoPixels, maxVideoFps }
}
