// Runs neighbouring video entries as one: each adds to a filter graph, then one file is made by the cheapest right way.
import { mkdir, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Problem } from '#kit/errors.ts'
import type { FileFacts, Medium } from '#kit/file-facts.ts'
import type { MediaFile } from '#media/file/file.ts'
import { fileTypes } from '#media/file/formats.ts'
import { ownedBy } from '#media/file/media-problem.ts'
import { type Graph, type Streams, secondsOf } from '#media/graph/graph.ts'
import { graphFault } from '#media/graph/graph-check.ts'
import type { MakeJob } from '#media/make/make-job.ts'
import { makeVideo } from '#media/make/make-video.ts'
import { openGraph } from '#media/make/open-graph.ts'
import type { PreparedAssets } from '#media/make/prepared-clips.ts'
import { probe } from '#media/probe/probe.ts'
import { probeRecording } from '#media/probe/video-probe.ts'
import type { Adapters, VideoAdapter } from './adapter.ts'
import { factsOf, withDigest } from './digest.ts'
import type { EntryReport, SegmentEntry, SegmentRequest, SegmentResult } from './segment.ts'
import { adapterOf, type Emit, newReport, newStep, owned, timed } from './step.ts'

export async function runVideo(
  request: SegmentRequest,
  adapters: Adapters,
  emit: Emit,
  prepared: PreparedAssets | null = null,
): Promise<SegmentResult> {
  try {
    return await melt(request, adapters, emit, prepared, false)
  } catch (error) {
    const problem = ownedBy(error, request.entries[0]!.index)
    if (request.entries.length === 1 || isOwned(error) || problem.crash || problem.code === 'cancelled') throw problem
  }
  // What fails only when it runs has no owner yet. Again, entry by entry: the first to fail owns the error.
  return oneByOne(request, adapters, emit, prepared)
}

/** An adapter's own refusal names its entry at once. */
const isOwned = (error: unknown): boolean => error instanceof Problem && 'entry' in error && error.entry !== null

async function melt(
  request: SegmentRequest,
  adapters: Adapters,
  emit: Emit,
  prepared: PreparedAssets | null,
  handOn: boolean,
): Promise<SegmentResult> {
  const { input, entries, folder, tools } = request
  const reports = entries.map(({ index }) => newReport(index))
  const [first, last] = [reports[0]!, reports.at(-1)!]
  const work = join(folder, `work-${first.index}`)
  await mkdir(work, { recursive: true })
  const room: MakeJob = {
    ...request,
    folder: work,
    prepared,
    mime: input.mime,
    lossless: handOn,
    onProgress: progressOf(entries, emit),
    decide: sentence => void first.decisions.push(sentence),
  }
  const { graph, streams: opened } = await timed(first, 'probe', () => openGraph(input, room))
  let streams: Streams = opened
  let over: EntryReport | null = null
  for (const [i, entry] of entries.entries()) {
    const report = reports[i]!
    streams = await owned(report, () =>
      timed(report, 'step', () => grow(entry, graph, streams, report, work, adapters, emit)),
    )
    report.facts = factsNow(streams, graph.input)
    const fault = graphFault(streams, request.limits)
    // A later entry may still make it fit.
    over = fault ? (over ?? report) : null
    if (fault && report === last) throw ownedBy(fault, (over ?? report).index)
  }
  const made = await timed(last, 'make', () =>
    makeVideo(streams, { ...room, decide: sentence => void last.decisions.push(sentence) }),
  )
  const path = join(folder, basename(made.path))
  await rename(made.path, path)
  await rm(work, { recursive: true, force: true })
  const output = await timed(last, 'check', async () =>
    withDigest(path, await probe(path, request.limits, tools, probeRecording)),
  )
  last.facts = factsOf(output)
  last.command = made.command
  for (const { index } of entries) emit({ progress: { index, fraction: 1 } })
  return { output, entries: reports, versions: { ffmpeg: tools.ffmpegVersion ?? 'unknown' } }
}

/** What a result of a medium is written as, unless an entry says otherwise. */
const usual: Record<Medium, Pick<FileFacts, 'mime' | 'ext'>> = {
  image: fileTypes.jpeg,
  video: fileTypes.mp4,
  audio: fileTypes.m4a,
  file: { mime: 'application/octet-stream', ext: '.bin' },
}

/** What the entry would have made, if it ran alone; but for its bytes. */
function factsNow(streams: Streams, input: MediaFile): FileFacts {
  const { video, audio } = streams
  const medium = mediumOf(streams, input)
  const seconds = video ? secondsOf(video) : (audio?.seconds ?? null)
  const size = { width: video?.width ?? null, height: video?.height ?? null }
  const duration = medium === 'image' || seconds === null || !Number.isFinite(seconds) ? null : seconds
  const { mime, ext } = usual[medium]
  return { mime, ext, medium, bytes: 0, ...size, duration, frames: null }
}

async function grow(
  entry: SegmentEntry,
  graph: Graph,
  streams: Streams,
  report: EntryReport,
  folder: string,
  adapters: Adapters,
  emit: Emit,
): Promise<Streams> {
  const adapter = videoAdapter(adapters, entry)
  const shown = takesPicture(adapter, streams, graph.input) ? { video: null, audio: null } : streams
  accept(adapter, mediumOf(shown, graph.input), graph.input)
  return adapter.video(graph, shown, { ...newStep(entry, report, emit), folder })
}

/** A GIF that moves is opened as a video. A step that takes pictures alone decodes it as one, as it does other animations. */
const takesPicture = ({ accepts }: VideoAdapter, { video }: Streams, input: MediaFile): boolean =>
  input.medium === 'image' && video?.origin.kind === 'source' && accepts.includes('image') && !accepts.includes('video')

function videoAdapter(adapters: Adapters, entry: SegmentEntry): VideoAdapter {
  const adapter = adapterOf(adapters, entry)
  if (!('video' in adapter)) throw new Problem('unknown_adapter', `"${entry.adapter}" does not work on videos.`)
  return adapter
}

const pictures = new Set(['gif', 'webp', 'jpeg', 'png'])

/** What a file made of these streams would be. */
function mediumOf({ video, audio }: Streams, input: MediaFile): Medium {
  if (video) return pictures.has(video.encode?.format ?? '') && video.frames === 1 ? 'image' : 'video'
  return audio ? 'audio' : input.medium
}

const names: Record<Medium, string> = {
  image: 'a picture',
  video: 'a video',
  audio: 'a recording of sound',
  file: 'any file',
}

function accept({ accepts }: VideoAdapter, medium: Medium, { mime }: MediaFile): void {
  if (accepts.includes(medium)) return
  throw new Problem(
    'unsupported_format',
    `The input is ${medium === 'file' ? mime : names[medium]}; this step takes ${accepts.map(taken => names[taken]).join(' or ')}.`,
  )
}

async function oneByOne(
  request: SegmentRequest,
  adapters: Adapters,
  emit: Emit,
  prepared: PreparedAssets | null,
): Promise<SegmentResult> {
  const results: SegmentResult[] = []
  let input = request.input
  for (const [i, entry] of request.entries.entries()) {
    const isLast = i === request.entries.length - 1
    const folder = join(request.folder, `entry-${entry.index}`)
    await mkdir(folder)
    try {
      results.push(
        await melt(
          { ...request, input, entries: [entry], folder: isLast ? request.folder : folder },
          adapters,
          emit,
          prepared,
          !isLast,
        ),
      )
    } catch (error) {
      throw ownedBy(error, entry.index)
    }
    input = results.at(-1)!.output
  }
  const last = results.at(-1)!
  const entries = results.flatMap(result => result.entries)
  entries.at(-1)!.decisions.push('Ran the entries one by one: together they had failed.')
  return { ...last, entries }
}

/** Entries that melt together move together. */
function progressOf(entries: readonly SegmentEntry[], emit: Emit): (fraction: number) => void {
  let highest = 0
  return fraction => {
    if (fraction < highest) return
    highest = fraction
    for (const { index } of entries) emit({ progress: { index, fraction } })
  }
}
