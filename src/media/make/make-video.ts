// Makes the output file of a graph in the cheapest correct way: copy, copy with some pieces encoded, or one encode.

import { join } from 'node:path'
import { Problem } from '#kit/errors.ts'
import { fileTypes } from '../file/formats.ts'
import { type AudioStream, type Source, type Streams, secondsOf, type VideoStream } from '../graph/graph.ts'
import { graphFault, heldBytes } from '../graph/graph-check.ts'
import { render } from '../graph/graph-render.ts'
import { probeVideo } from '../probe/video-probe.ts'
import { asTold, type FfmpegCommand, runFfmpeg } from '../process/ffmpeg.ts'
import {
  audioCodec,
  audioContainer,
  type Container,
  copyContainer,
  lossless,
  soundFits,
  videoCodec,
  wrapping,
} from './encode.ts'
import { makeAnimation, makeFrame } from './make-frame.ts'
import { filtering, type MadeVideo, type MakeJob, outputPath, renderOptions } from './make-job.ts'
import { makePieces } from './make-pieces.ts'
import { checkOutput } from './output-check.ts'
import { describe, keyOf } from './prepared-clips.ts'

export async function makeVideo(streams: Streams, job: MakeJob): Promise<MadeVideo> {
  const { video, audio } = streams
  const fault = graphFault(streams, job.limits)
  if (fault) throw fault
  if (!video) return makeSound(audio, job)
  if (!Number.isFinite(video.frames))
    throw new Problem('unsupported_format', 'The input is a picture that does not move; a video is needed here.')
  const held = heldBytes(video)
  if (held > job.limits.maxMemoryBytes) {
    throw new Problem(
      'memory_limit',
      `Playing this backwards would hold ${Math.round(held / 1024 ** 2)} MiB of frames in memory; at most ${Math.round(job.limits.maxMemoryBytes / 1024 ** 2)} MiB are allowed. A shorter part or a smaller size needs less.`,
    )
  }
  const format = video.encode?.format
  if (format === 'jpeg' || format === 'png') return makeFrame(video, job)
  if (format === 'gif' || format === 'webp') return makeAnimation(video, job)
  if (job.lossless) return encodeAll(video, audio, 'mkv', job)
  const copied = copyOf(video)
  if (copied) return copyPicture(video, audio, copied, job)
  if (video.encode === null) {
    const pieces = await makePieces(video, job)
    if (pieces) return wrapPieces(pieces, video, audio, job)
  }
  return encodeAll(video, audio, format ?? 'mp4', job)
}

function copyOf({ origin, encode }: VideoStream): Container | null {
  if (origin.kind !== 'source' || origin.loop || encode) return null
  const { probe } = origin.source
  return copyContainer(probe.video!, probe.mime)
}

/** One filter graph and one encode. Sound that no step has touched is still copied. */
async function encodeAll(
  video: VideoStream,
  audio: AudioStream | null,
  container: Container,
  job: MakeJob,
): Promise<MadeVideo> {
  const copyAudio = canCopy(audio, container) === 'whole'
  const rendered = render({ video, audio, copyAudio }, renderOptions(job))
  const codec = job.lossless ? lossless(video, job.threads) : videoCodec(video, video.encode, job.threads)
  const command: FfmpegCommand = {
    inputs: rendered.inputs,
    options: [
      ...filtering(rendered.filters, job.threads),
      ...['-map', rendered.video!, ...(rendered.audio ? ['-map', rendered.audio] : [])],
      ...codec,
      ...(audio ? (copyAudio ? ['-c:a', 'copy'] : audioCodec(container, audio.encode)) : []),
      ...wrapping(container),
    ],
    output: outputPath(job, container),
  }
  if (!job.lossless)
    job.decide(
      copyAudio && audio
        ? 'Encoded the picture once; copied the sound.'
        : 'Encoded everything once, in one filter graph.',
    )
  return finish(command, 'encode', container, { video, audio }, job)
}

async function copyPicture(
  video: VideoStream,
  audio: AudioStream | null,
  container: Container,
  job: MakeJob,
): Promise<MadeVideo> {
  job.decide('Copied the picture packet by packet: no frame of it changes.')
  const sound = await settledSound(audio, container, job)
  const rendered = render({ video, audio: sound.stream, copyVideo: true, copyAudio: sound.copy }, renderOptions(job))
  const { probe } = (video.origin as { source: Source }).source
  const command: FfmpegCommand = {
    inputs: rendered.inputs,
    options: [
      ...filtering(rendered.filters, job.threads),
      ...['-map', rendered.video!, ...(rendered.audio ? ['-map', rendered.audio] : [])],
      ...['-c:v', 'copy', ...(probe.video!.codec === 'hevc' ? ['-tag:v', 'hvc1'] : [])],
      ...sound.options,
      ...wrapping(container),
    ],
    output: outputPath(job, container),
  }
  return finish(command, 'copy', container, { video, audio }, job)
}

/** Adds the sound to a finished video track. The sound is encoded in one go over the whole length, so there are no audible seams. */
async function wrapPieces(
  pieces: { path: string; commands: string[][] },
  video: VideoStream,
  audio: AudioStream | null,
  job: MakeJob,
): Promise<MadeVideo> {
  const file = { path: pieces.path, mime: 'video/mp4' }
  const probe = await probeVideo(file, job.tools)
  const source = {
    file: { ...file, medium: 'video', ext: '', bytes: 0, width: null, height: null, duration: null, frames: null },
    probe,
    label: 'pieces',
    asset: false,
  } as const
  const picture: VideoStream = { ...video, origin: { kind: 'source', source, loop: false } }
  const sound = await settledSound(audio, 'mp4', job)
  const rendered = render(
    { video: picture, audio: sound.stream, copyVideo: true, copyAudio: sound.copy },
    renderOptions(job),
  )
  const command: FfmpegCommand = {
    inputs: rendered.inputs,
    options: [
      ...filtering(rendered.filters, job.threads),
      ...['-map', rendered.video!, ...(rendered.audio ? ['-map', rendered.audio] : []), '-c:v', 'copy'],
      ...sound.options,
      ...wrapping('mp4'),
    ],
    output: outputPath(job, 'mp4'),
  }
  const made = await finish(command, 'pieces', 'mp4', { video, audio }, job)
  return { ...made, command: [...pieces.commands.flatMap(told => [...told, '&&']), ...made.command] }
}

interface Sound {
  stream: AudioStream | null
  copy: boolean
  options: string[]
}

/** Copies untouched sound. Sound from assets alone is made once and stored. All other sound is encoded. */
async function settledSound(audio: AudioStream | null, container: Container, job: MakeJob): Promise<Sound> {
  if (!audio) return { stream: null, copy: false, options: [] }
  const how = canCopy(audio, container)
  if (how === 'whole') return { stream: audio, copy: true, options: ['-c:a', 'copy'] }
  if (how === 'beginning' && audio.origin.kind === 'cut') {
    job.decide('Copied the sound packet by packet.')
    return { stream: audio.origin.input, copy: true, options: ['-c:a', 'copy', '-t', audio.seconds.toFixed(6)] }
  }
  const kept = container === 'mp4' && isAssetSound(audio) ? await cachedSound(audio, job) : null
  if (kept) return { stream: kept, copy: true, options: ['-c:a', 'copy'] }
  return { stream: audio, copy: false, options: audioCodec(container, audio.encode) }
}

function canCopy(audio: AudioStream | null, container: Container): 'whole' | 'beginning' | null {
  if (!audio || audio.encode) return null
  const { origin } = audio
  const fits = (source: Source): boolean => soundFits(source.probe.audio!, container)
  if (origin.kind === 'source' && !origin.loop && fits(origin.source)) return 'whole'
  if (origin.kind !== 'cut' || origin.from > 0 || origin.input.origin.kind !== 'source') return null
  const { source, loop } = origin.input.origin
  return !loop && source.asset && fits(source) ? 'beginning' : null
}

function isAssetSound({ origin }: AudioStream): boolean {
  if (origin.kind === 'source') return origin.source.asset
  if (origin.kind === 'filters') return origin.inputs.every(isAssetSound)
  if (origin.kind === 'cut') return isAssetSound(origin.input)
  return origin.kind === 'silence' || origin.parts.every(isAssetSound)
}

async function cachedSound(audio: AudioStream, job: MakeJob): Promise<AudioStream | null> {
  const { tools, prepared } = job
  if (!prepared) return null
  const codec = audioCodec('mp4', null)
  const { inputs, filters, audio: pad } = render({ video: null, audio }, renderOptions(job))
  const key = keyOf('sound', await describe(audio), filters, codec, tools.ffmpegVersion)
  const known = await prepared.take(key)
  const path = known ?? join(job.folder, 'sound')
  if (known !== null) job.decide('Took the sound from the store: the same was made before.')
  else {
    const options = [...filtering(filters, job.threads), '-map', pad!, ...codec, ...wrapping('m4a')]
    await runFfmpeg(
      { inputs, options, output: path },
      { ...job, pixels: 0, seconds: audio.seconds, onProgress: () => {} },
    )
    await prepared.keep(key, path)
  }
  const probe = await probeVideo({ path, mime: 'audio/mp4' }, tools)
  const file = {
    path,
    mime: 'audio/mp4',
    medium: 'audio',
    ext: '',
    bytes: 0,
    width: null,
    height: null,
    duration: null,
    frames: null,
  } as const
  return {
    origin: { kind: 'source', source: { file, probe, label: 'sound', asset: true }, loop: false },
    seconds: audio.seconds,
    encode: null,
  }
}

async function makeSound(audio: AudioStream | null, job: MakeJob): Promise<MadeVideo> {
  if (!audio) throw new Problem('unsupported_format', 'There is no sound in the recording.')
  const container = audioContainer(audio, job.mime)
  const copyAudio = canCopy(audio, container) === 'whole'
  const { inputs, filters, audio: pad } = render({ video: null, audio, copyAudio }, renderOptions(job))
  const options = [
    ...filtering(filters, job.threads),
    '-map',
    pad!,
    ...(copyAudio ? ['-c:a', 'copy'] : audioCodec(container, audio.encode)),
    ...wrapping(container),
  ]
  return finish(
    { inputs, options, output: outputPath(job, container) },
    copyAudio ? 'copy' : 'encode',
    container,
    { video: null, audio },
    job,
  )
}

async function finish(
  command: FfmpegCommand,
  plan: MadeVideo['plan'],
  container: Container,
  planned: Streams,
  job: MakeJob,
): Promise<MadeVideo> {
  const { video, audio } = planned
  const seconds = video ? secondsOf(video) : (audio?.seconds ?? 0)
  await runFfmpeg(command, {
    ...job,
    seconds,
    pixels: video ? video.width * video.height : 0,
    extraBytes: video ? heldBytes(video) * 2 : 0,
  })
  await checkOutput({ path: command.output!, mime: fileTypes[container].mime }, planned, job.tools)
  return { path: command.output!, container, plan, command: asTold(command) }
}
