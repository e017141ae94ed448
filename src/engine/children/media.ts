// The media children as the rest of the service sees them: probe a file, run a segment, within the memory there is.
import { rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { cancellation } from '#kit/errors.ts'
import type { FileFacts } from '#kit/file-facts.ts'
import { interruptible } from '#kit/interruptible.ts'
import type { Log } from '#kit/log.ts'
import type { Settings } from '#kit/settings.ts'
import { type Meters, noMeters } from '#kit/telemetry/meters.ts'
import type { MediaFile } from '#media/file/file.ts'
import { isDeepPng, sizeFromHead } from '#media/file/head-size.ts'
import type { MediaLimits, Tools } from '#media/file/media-limits.ts'
import type { Jail } from '#media/process/jail.ts'
import type { Pool, PoolStats } from '#media/process/pool.ts'
import type { Adapters } from '../adapter.ts'
import type { ChildEvent, SegmentEntry, SegmentRequest, SegmentResult } from '../segment.ts'
import { newBudget } from './budget.ts'
import { probeWork, segmentWork, visionCheckWork } from './child-work.ts'
import { type MediaPool, newPools, type Pools } from './pools.ts'
import { preparedAssets } from './prepared-assets.ts'
import { probeSeconds, segmentSeconds } from './processor-seconds.ts'
import { newQuiet } from './quiet.ts'
import { type Planned, planSizes } from './sizes.ts'

export interface MediaWork extends Pick<SegmentRequest, 'form' | 'input' | 'entries' | 'folder'> {
  /** Whose assets these are: what is prepared of them is kept for this experience. Null keeps nothing. */
  experienceId: string | null
}

export interface MediaRun {
  signal?: AbortSignal
  timeoutMs?: number
  /** This limit is not that of an entry: over it nothing is said of the file. */
  ours?: boolean
  /** The work has left the queue for a media child. */
  onBegin?: () => void
  onProgress?: (index: number, fraction: number) => void
  /** With no other work beside it, as far as others need not wait long for it. */
  alone?: boolean
}

export interface Media {
  /** `owner`: the experience, which waits for no other's long work. */
  probe(path: string, signal?: AbortSignal, owner?: string | null): Promise<FileFacts>
  run(work: MediaWork, options?: MediaRun): Promise<SegmentResult>
  /** Has a media child prove that it can look for people; answers a sentence, or throws the problem. */
  checkVision(signal?: AbortSignal): Promise<string>
  stats(): { pictures: PoolStats; videos: PoolStats }
  drain(): Promise<void>
}

interface MediaOptions {
  settings: Settings
  /** The programs that children may see. */
  programs: Pick<Tools, 'ffmpeg' | 'ffprobe' | 'jpegtran'>
  /** May still be looked for when the first work comes. Pictures need the jail alone. */
  jail: Promise<Jail>
  tools: Promise<Tools>
  /** Ends a look for them that is still under way. */
  stopLooking?: () => void
  /** Where the children have their rooms: on the disk of the work folders. */
  rooms: string
  /** The file that a media child runs. */
  script: string
  keepWarm: number
  /** What entries ask for is worked out by their adapters. */
  adapters: Adapters
  log: Log
  meters?: Meters
}

export function newMedia(options: MediaOptions): Media {
  const { settings, programs, jail, tools, rooms, script, keepWarm, adapters, log, meters = noMeters } = options
  const { stopLooking = () => {} } = options
  const { concurrency } = settings
  const memory = newBudget(settings.maxMemoryBytes)
  const limits = mediaLimits(settings)
  const prepared = preparedAssets(join(settings.data, 'cache'))
  const quiet = newQuiet()
  let pools: Pools | null = null
  const opened = jail.then(jail => {
    pools = newPools({ settings, programs, jail, rooms, script, keepWarm, log })
    const pictureTools: Tools = { ...programs, ffmpeg: null, ffprobe: null, prlimit: jail.prlimit }
    return { pictureTools, ...pools }
  })
  // Work that waits for them hears of it.
  for (const look of [opened, tools]) look.catch(() => {})

  /** `seen`: the work sees pictures alone, so it does not wait until ffmpeg is known. */
  async function ready(seen: Seen, signal?: AbortSignal): Promise<Pools & { tools: Tools }> {
    const all = Promise.all([opened, seen === 'pictures' ? null : tools])
    const [{ pictureTools, ...pools }, known] = await (signal ? interruptible(all, signal) : all).catch(error => {
      throw signal?.aborted ? cancellation() : error
    })
    return { ...pools, tools: known ?? pictureTools }
  }

  const threads = (videos: Pool): number => {
    const { busy, waiting } = videos.stats()
    return busy + waiting >= concurrency ? 1 : availableParallelism()
  }

  async function probe(
    path: string,
    signal?: AbortSignal,
    owner: string | null = null,
    seen: Seen = 'everything',
  ): Promise<FileFacts> {
    const { pictures, tools } = await ready(seen, signal)
    const work = probeWork({ kind: 'probe', path, limits, tools: toolsIn(pictures, tools) })
    const limit = { timeoutMs: PROBE_MS, ours: true, processorSeconds: probeSeconds(path) }
    return await pictures.run(work, { ...limit, ...(signal ? { signal } : {}), owner })
  }

  /** A few kilobytes can ask for gigabytes, so room is only reserved by what the header says. */
  async function sized(input: MediaFile, owner: string | null, signal?: AbortSignal): Promise<FileFacts> {
    if (input.medium !== 'image' || input.width !== null) return input
    const size = sizeFromHead(input.path)
    if (size) return { ...input, ...size }
    // A file that cannot even be probed takes no memory; its entry says why it failed.
    return probe(input.path, signal, owner, 'pictures').catch(() => input)
  }

  /** From the first bytes alone it is not known which way up a picture is, so that both ways count. */
  function planned(segment: Pick<MediaWork, 'entries' | 'input'>, facts: FileFacts): Planned {
    const { input } = segment
    const entries = segment.entries.map(withAssetSizes)
    const isDeep = input.mime === 'image/png' && isDeepPng(input.path)
    const plan = (upright: FileFacts) => planSizes(entries, adapters, upright, limits, isDeep)
    if (input.medium !== 'image' || input.width !== null || facts.width === facts.height) return plan(facts)
    const turned = { ...facts, width: facts.height, height: facts.width }
    const ways = [facts, turned].map(way => attempt(() => plan(way)))
    const possible = ways.flatMap(({ value }) => value ?? [])
    if (possible.length === 0) throw ways[0]?.error
    return possible.reduce((one, other) => (one.bytes > other.bytes ? one : other))
  }

  return {
    probe,
    async run({ experienceId, ...segment }, { signal, timeoutMs, ours, onBegin, onProgress, alone = false } = {}) {
      const { form, input } = segment
      const watch = newWatch(meters, form)
      const { pictures, videos, tools } = await ready(seenBy(segment), signal)
      const pool = form === 'image' ? pictures : videos
      const plan = planned(segment, await sized(input, experienceId, signal))
      const { bytes: memoryBytes } = plan
      using _reserved = memoryBytes > 0 ? await memory.reserve(memoryBytes, { owner: experienceId, signal }) : null
      const work = segmentWork({
        kind: 'segment',
        ...segment,
        keeps: experienceId !== null,
        limits,
        memoryBytes,
        tools: toolsIn(pool, tools),
        threads: threads(videos),
      })
      const onEvent = (event: unknown): void => {
        const { progress } = (event ?? {}) as Partial<ChildEvent>
        if (progress) onProgress?.(progress.index, progress.fraction)
      }
      const options = {
        onEvent,
        processorSeconds: segmentSeconds(segment, plan, limits),
        traces: fontsOf(segment),
        owner: experienceId,
        ...(experienceId === null ? {} : { onAsk: prepared(experienceId) }),
        onBegin() {
          watch.begin()
          onBegin?.()
        },
        ...(signal ? { signal } : {}),
        ...(timeoutMs !== undefined ? { timeoutMs } : {}),
        ...(ours ? { ours } : {}),
      }
      try {
        const result = await quiet[alone ? 'alone' : 'beside'](() => pool.run(work, options))
        meters.count('mediaBytes', { form, direction: 'in' }, input.bytes)
        meters.count('mediaBytes', { form, direction: 'out' }, result.output.bytes)
        return result
      } finally {
        watch.end()
      }
    },
    async checkVision(signal) {
      const { pictures } = await ready('pictures', signal)
      return await pictures.run(visionCheckWork(), { timeoutMs: LOOK_MS, ours: true, ...(signal ? { signal } : {}) })
    },
    stats: () => ({ pictures: pools?.pictures.stats() ?? noStats, videos: pools?.videos.stats() ?? noStats }),
    async drain() {
      stopLooking()
      // Without an answer there are no children.
      await opened.catch(() => {})
      await Promise.all([pools?.pictures.drain(), pools?.videos.drain()])
      await rm(rooms, { recursive: true, force: true })
    },
  }
}

/** Of files that came with a task in place of assets only the kind is known; their headers tell how much room they need. */
function withAssetSizes(entry: SegmentEntry): SegmentEntry {
  const sized = (file: MediaFile): MediaFile =>
    file.medium === 'image' && file.width === null ? { ...file, ...sizeFromHead(file.path) } : file
  const assets = Object.entries(entry.assets).map(([parameter, files]) => [parameter, files.map(sized)])
  return { ...entry, assets: Object.fromEntries(assets) }
}

type Seen = 'pictures' | 'everything'

const isRecording = ({ medium }: MediaFile): boolean => medium === 'video' || medium === 'audio'

const seenBy = ({ form, entries }: Pick<MediaWork, 'form' | 'entries'>): Seen =>
  form === 'image' && !entries.some(({ assets }) => Object.values(assets).flat().some(isRecording))
    ? 'pictures'
    : 'everything'

const toolsIn = ({ memoryBytes }: MediaPool, tools: Tools): Tools => ({ ...tools, mostMemoryBytes: memoryBytes })

/** Assets that are told apart by their text; any other file may turn out to be a font. */
const texts = new Set(['application/json', 'application/x-cube', 'text/plain'])

/** Fonts stay in a child that has drawn with them, and would stand in for letters that other fonts lack. */
function fontsOf({ entries }: Pick<MediaWork, 'entries'>): string | null {
  const files = entries.flatMap(({ assets }) => Object.values(assets).flat())
  const fonts = files.filter(({ medium, mime }) => medium === 'file' && !texts.has(mime))
  return fonts.length === 0 ? null : [...new Set(fonts.map(({ sha256, path }) => sha256 ?? path))].sort().join(' ')
}

function attempt<T>(work: () => T): { value?: T; error?: unknown } {
  try {
    return { value: work() }
  } catch (error) {
    return { error }
  }
}

/** Times one segment: its wait, from now until a child begins, and the work of the child. */
function newWatch(meters: Meters, form: MediaWork['form']): { begin(): void; end(): void } {
  const asked = performance.now()
  let begun: number | null = null
  return {
    begin() {
      begun = performance.now()
      meters.observe('mediaWait', { form }, (begun - asked) / 1000)
    },
    end() {
      if (begun !== null) meters.observe('mediaSeconds', { form }, (performance.now() - begun) / 1000)
    },
  }
}
/** Loading and one look take half a second; a machine at work may take longer. */
const LOOK_MS = 30_000
/** Of the wall clock: only a machine that hardly works takes so long to look at a file. */
const PROBE_MS = 600_000

const noStats: PoolStats = { children: 0, busy: 0, waiting: 0, crashes: 0 }

export function mediaLimits(settings: Settings): MediaLimits {
  const { maxPixels, maxFrames, maxMemoryBytes, maxVideoSeconds, maxVideoPixels, maxVideoFps } = settings
  return { maxPixels, maxFrames, maxMemoryBytes, maxVideoSeconds, maxVideoPixels, maxVideoFps }
}
