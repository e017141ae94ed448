// Makes the video track from pieces: copies untouched groups of pictures, encodes the others, takes prepared assets from the store.
import { join } from 'node:path'
import { timeOf } from '../file/frame-rate.ts'
import type { Source, VideoStream } from '../graph/graph.ts'
import { heldBytes } from '../graph/graph-check.ts'
import { render } from '../graph/graph-render.ts'
import { freeId } from '../probe/h264.ts'
import { indexPackets, type PacketIndex, type PacketRun, writeRuns } from '../probe/packets.ts'
import { asTold, type FfmpegCommand, runFfmpeg } from '../process/ffmpeg.ts'
import { DEFAULT_CRF, DEFAULT_PRESET, type Tags, x264 } from './encode.ts'
import { filtering, type MakeJob, renderOptions } from './make-job.ts'
import { describe, keyOf } from './prepared-clips.ts'
import { framesOf, isAssetOnly, isWorthIt, type Piece, piecesOf, reconciled } from './video-pieces.ts'

/** Returns null when one encode of everything is just as good. */
export async function makePieces(
  video: VideoStream,
  job: MakeJob,
): Promise<{ path: string; commands: string[][] } | null> {
  const indexes = new Map<Source, Promise<PacketIndex | null>>()
  const streams = new Map<Source, VideoStream>()
  const indexOf = (source: Source, stream: VideoStream): Promise<PacketIndex | null> => {
    streams.set(source, stream)
    const known = indexes.get(source) ?? indexPackets(source.file.path, stream.rate)
    indexes.set(source, known)
    return known
  }
  const pieces = reconciled(await piecesOf(video, indexOf), source => streams.get(source)!)
  if (!isWorthIt(pieces, job.prepared !== null)) return null
  const records = pieces.flatMap(piece => (piece.kind === 'copy' ? [piece.source.probe.video!.record!] : []))
  const copied = pieces.find(piece => piece.kind === 'copy')
  const tags: Tags = { colour: !copied || copied.source.probe.video!.colour.matrix !== null, spsId: freeId(records) }
  const encoder = newEncoder(pieces, tags, job)
  const runs: PacketRun[] = []
  for (const piece of pieces)
    runs.push(piece.kind === 'copy' ? { path: piece.source.file.path, ...piece.span } : await encoder.run(piece))
  const path = join(job.folder, 'pieces')
  if (!(await writeRuns(runs, video.rate, path))) return null
  job.decide(summary(pieces, encoder))
  return { path, commands: encoder.commands }
}

interface Encoder {
  run(piece: Extract<Piece, { kind: 'encode' }>): Promise<PacketRun>
  readonly commands: string[][]
  /** Number of frames from the store, and number of frames that were encoded. */
  readonly kept: number
  readonly encoded: number
}

function newEncoder(pieces: readonly Piece[], tags: Tags, job: MakeJob): Encoder {
  const made = new Map<VideoStream, string>()
  const commands: string[][] = []
  const total = pieces.reduce((sum, piece) => sum + (piece.kind === 'encode' ? piece.frames : 0), 0)
  let [done, kept, encoded, count] = [0, 0, 0, 0]

  async function encode({ stream, frames, only }: Extract<Piece, { kind: 'encode' }>, path: string): Promise<void> {
    const rendered = render({ video: stream, audio: null }, { ...renderOptions(job), ...(only ? { only } : {}) })
    const command: FfmpegCommand = {
      inputs: rendered.inputs,
      options: [
        ...filtering(rendered.filters, job.threads),
        ...['-map', rendered.video!, '-an', ...x264(stream, DEFAULT_CRF, DEFAULT_PRESET, job.threads, tags)],
        ...['-video_track_timescale', '90000', '-map_metadata', '-1', '-f', 'mp4'],
      ],
      output: path,
    }
    const { width, height, rate } = stream
    await runFfmpeg(command, {
      ...job,
      pixels: width * height,
      extraBytes: heldBytes(stream) * 2,
      seconds: timeOf(frames, rate),
      onProgress: fraction => job.onProgress(Math.min(0.97, (done + fraction * frames) / total)),
    })
    encoded += frames
    commands.push(asTold(command))
  }

  async function run(piece: Extract<Piece, { kind: 'encode' }>): Promise<PacketRun> {
    const { stream, frames, only } = piece
    const again = only ? undefined : made.get(stream)
    const path = again ?? (await fromStore(piece)) ?? (await newPiece(piece))
    if (!only) made.set(stream, path)
    done += frames
    return { path, from: 0, to: frames }
  }

  async function newPiece(piece: Extract<Piece, { kind: 'encode' }>): Promise<string> {
    const path = join(job.folder, `piece-${++count}`)
    await encode(piece, path)
    return path
  }

  /** Takes a piece made from assets alone out of the store, or makes and stores it. Null for all other pieces. */
  async function fromStore(piece: Extract<Piece, { kind: 'encode' }>): Promise<string | null> {
    const { prepared, tools } = job
    if (!prepared || piece.only || !isAssetOnly(piece.stream)) return null
    // The key includes the filters: the filters that normalise a source are not part of the stream's description.
    const { filters } = render({ video: piece.stream, audio: null }, renderOptions(job))
    const key = keyOf(
      'piece',
      await describe(piece.stream),
      filters,
      x264(piece.stream, DEFAULT_CRF, DEFAULT_PRESET, 0, tags),
      tools.ffmpegVersion,
    )
    const known = await prepared.take(key)
    if (known !== null) {
      const index = await indexPackets(known, piece.stream.rate).catch(() => null)
      if (index?.frames === piece.frames) {
        kept += piece.frames
        return known
      }
      await prepared.forget(key)
    }
    const path = await newPiece(piece)
    await prepared.keep(key, path)
    return path
  }

  return {
    run,
    commands,
    get kept() {
      return kept
    },
    get encoded() {
      return encoded
    },
  }
}

function summary(pieces: readonly Piece[], { kept, encoded }: Encoder): string {
  const copied = pieces.reduce((sum, piece) => sum + (piece.kind === 'copy' ? framesOf(piece) : 0), 0)
  const parts = [
    ...(copied > 0 ? [`copied ${copied} frames as they were`] : []),
    ...(kept > 0 ? [`took ${kept} frames from the store of prepared assets`] : []),
    ...(encoded > 0 ? [`encoded ${encoded} frames`] : []),
  ]
  const text = parts.join(', ')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
