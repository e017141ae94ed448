// Opens a graph: opens files as streams, decodes pictures for it, looks at frames, measures loudness.
import { Problem } from '#kit/errors.ts'
import type { MediaFile } from '../file/file.ts'
import { frameAt, perSecond } from '../file/frame-rate.ts'
import { throughAudio } from '../graph/audio-ops.ts'
import type { AudioStream, Graph, OpenOptions, Source, Streams, VideoStream } from '../graph/graph.ts'
import { soundFault } from '../graph/graph-check.ts'
import { render } from '../graph/graph-render.ts'
import { readLoudness } from '../graph/loudness.ts'
import { isHdr } from '../graph/source-filters.ts'
import { decodeStill, drawnStill, tableStill } from '../graph/stills.ts'
import { filter } from '../graph/video-ops.ts'
import { pictureShift } from '../probe/ffprobe.ts'
import { indexPackets } from '../probe/packets.ts'
import { checkVideo, probeVideo } from '../probe/video-probe.ts'
import { runFfmpeg } from '../process/ffmpeg.ts'
import { lookAtFrames, newFrameWriter } from './frames.ts'
import { filtering, type MakeJob, renderOptions } from './make-job.ts'
import { mayCopy } from './video-pieces.ts'

interface OpenedGraph {
  graph: Graph
  streams: Streams
}

/** Returns the streams of the input, and the graph that entries add to. A still picture has no streams yet. */
export async function openGraph(input: MediaFile, job: MakeJob): Promise<OpenedGraph> {
  const open = async (
    file: MediaFile,
    label: string,
    asset: boolean,
    { loop = false }: OpenOptions = {},
  ): Promise<Streams> => {
    const probe = await probeVideo(file, job.tools)
    checkVideo(probe, job.limits)
    return streamsOf({ file, probe, shift: await pictureShift(file, probe, job.tools), label, asset }, loop)
  }
  const graph: Graph = {
    input,
    maxMemoryBytes: job.limits.maxMemoryBytes,
    open: (file, parameter, options) => open(file, `asset:${parameter}`, true, options),
    still: (file, parameter, options) =>
      decodeStill(file, file === input ? 'input' : `asset:${parameter}`, file !== input, options, job),
    drawn: (pixels, label, rate) => drawnStill(pixels, label, rate, job),
    table: (pixels, rate) => tableStill(pixels, rate, job),
    keyFrames,
    frames: (video, size, rate) => lookAtFrames(video, size, rate, job),
    writer: (size, channels, rate, label) => newFrameWriter(size, channels, rate, label, job),
    loudness: audio => measure(audio, job),
  }
  const streams = moves(input) ? await open(input, 'input', false) : { video: null, audio: null }
  if (streams.video) tell(streams.video, job)
  return { graph, streams }
}

async function keyFrames(video: VideoStream): Promise<readonly number[] | null> {
  const { origin } = video
  if (origin.kind !== 'source' || origin.loop || !mayCopy(video, origin.source)) return null
  const index = await indexPackets(origin.source.file.path, video.rate)
  return index && index.frames === video.frames ? [...index.keys, index.frames] : null
}

const moves = ({ medium, mime, frames }: MediaFile): boolean =>
  medium === 'video' || medium === 'audio' || (mime === 'image/gif' && (frames ?? 1) > 1)

function streamsOf(source: Source, loop: boolean): Streams {
  const { video, audio, start } = source.probe
  return {
    video: video && videoStream(source, loop),
    audio: audio && {
      origin: { kind: 'source', source, loop },
      seconds: loop ? Number.POSITIVE_INFINITY : audio.end - start,
      encode: null,
    },
  }
}

function videoStream(source: Source, loop: boolean): VideoStream {
  const track = source.probe.video!
  const frames = Math.max(1, frameAt(track.end - source.probe.start, track.rate))
  return {
    origin: { kind: 'source', source, loop },
    width: Math.max(2, track.width - (track.width % 2)),
    height: Math.max(2, track.height - (track.height % 2)),
    rate: track.rate,
    frames: loop ? Number.POSITIVE_INFINITY : frames,
    alpha: source.asset && track.alpha,
    encode: null,
  }
}

function tell({ origin }: VideoStream, job: MakeJob): void {
  if (origin.kind !== 'source') return
  const track = origin.source.probe.video!
  if (track.rotation !== 0) job.decide(`The video is stored turned by ${track.rotation}°; it is worked on upright.`)
  if (isHdr(track)) job.decide('The video is HDR; where frames are encoded it is tone-mapped to BT.709.')
  if (!track.constant)
    job.decide(
      `The frame rate varies; where frames are encoded it becomes ${Number(perSecond(track.rate).toFixed(2))} a second.`,
    )
  if (track.width % 2 === 1 || track.height % 2 === 1)
    job.decide('The size is odd; where frames are encoded one pixel is cut off.')
}

/** Approximate share of the total time that the loudness measurement takes. */
const MEASURING = 0.1

async function measure(audio: AudioStream, job: MakeJob): ReturnType<Graph['loudness']> {
  if (!Number.isFinite(audio.seconds)) throw new Problem('internal', 'Something endless cannot be measured.')
  const fault = soundFault(audio, job.limits)
  if (fault) throw fault
  const metered = throughAudio([audio], [filter('ebur128', { peak: 'true', framelog: 'verbose' })])
  const { inputs, filters, audio: pad } = render({ video: null, audio: metered }, renderOptions(job))
  const command = { inputs, options: [...filtering(filters, job.threads), '-map', pad!], output: null, talks: true }
  const onProgress = (fraction: number): void => job.onProgress(fraction * MEASURING)
  const { stderr } = await runFfmpeg(command, { ...job, seconds: audio.seconds, pixels: 0, onProgress })
  return readLoudness(stderr)
}
