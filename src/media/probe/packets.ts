// Reads and writes packets of H.264 tracks: finds key frames and safe copies, and joins runs of packets into one track.
import {
  EncodedPacket,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  FilePathTarget,
  type InputVideoTrack,
  Mp4OutputFormat,
  Output,
} from 'mediabunny'
import { Problem } from '#kit/errors.ts'
import { perSecond, type Rate, timeOf } from '../file/frame-rate.ts'
import { mergeRecords, unitsOf } from './h264.ts'
import { openIndex } from './index-probe.ts'

export interface PacketIndex {
  /** Frame numbers, in display order, at which decoding can begin. */
  keys: number[]
  frames: number
}

/** A run of packets from a file: whole groups of pictures, given by frame numbers. */
export interface PacketRun {
  path: string
  from: number
  to: number
}

const MOST_PACKETS = 200_000
const OFF = 0.25

const damaged = (cause?: unknown): Problem =>
  new Problem('corrupt_input', 'The video is damaged or ends early: its frames could not be read.', { cause })

async function h264Track(
  path: string,
): Promise<{ track: InputVideoTrack; record: Uint8Array; [Symbol.dispose](): void }> {
  const input = openIndex(path)
  const track = await input.getPrimaryVideoTrack()
  const description = (await track?.getDecoderConfig())?.description
  if (!track || !description) {
    input.dispose()
    throw damaged()
  }
  const record = ArrayBuffer.isView(description)
    ? new Uint8Array(description.buffer, description.byteOffset, description.byteLength)
    : new Uint8Array(description)
  return { track, record, [Symbol.dispose]: () => input.dispose() }
}

/**
 * The key frames of a track, or null when copying is not proven safe: a variable rate, pictures that refer across a key frame
 * (open GOP), key frames that are not IDR, parameter sets inside the packets, or too many packets.
 */
export const indexPackets = (path: string, rate: Rate): Promise<PacketIndex | null> =>
  packetsIn(path, rate).catch(error => {
    // An index that cannot be read does not prove that copying is safe.
    if (error instanceof Problem) throw error
    return null
  })

async function packetsIn(path: string, rate: Rate): Promise<PacketIndex | null> {
  using opened = await h264Track(path)
  const { track, record } = opened
  const sink = new EncodedPacketSink(track)
  const start = await track.getFirstTimestamp()
  const seen: { frame: number; key: boolean }[] = []
  for await (const packet of sink.packets(undefined, undefined, { metadataOnly: true })) {
    const at = (packet.timestamp - start) * perSecond(rate)
    if (Math.abs(at - Math.round(at)) > OFF || seen.length >= MOST_PACKETS) return null
    seen.push({ frame: Math.round(at), key: packet.type === 'key' })
  }
  const keys = closedKeys(seen)
  if (!keys || new Set(seen.map(({ frame }) => frame)).size !== seen.length) return null
  const lengthSize = (record[4]! & 3) + 1
  for (const key of keys) {
    const packet = await sink.getPacket(start + timeOf(key + OFF, rate))
    if (!packet) return null
    const { idr, sets } = unitsOf(packet.data, lengthSize)
    if (!idr || sets) return null
  }
  return { keys, frames: seen.length }
}

/** Key frames before which every earlier shown frame is decoded; null when a picture refers across one. */
function closedKeys(packets: readonly { frame: number; key: boolean }[]): number[] | null {
  const keys: number[] = []
  let highest = -1
  let floor = 0
  for (const [i, { frame, key }] of packets.entries()) {
    if (frame < floor) return null
    if (key) {
      if (frame !== highest + 1 || highest + 1 !== i) return null
      keys.push(frame)
      floor = frame
    }
    highest = Math.max(highest, frame)
  }
  return keys[0] === 0 && highest + 1 === packets.length ? keys : null
}

/** Writes the runs one after another as one video track. False when their parameter sets cannot share a track. */
export async function writeRuns(runs: readonly PacketRun[], rate: Rate, path: string): Promise<boolean> {
  const opened = new Map<string, Awaited<ReturnType<typeof h264Track>>>()
  try {
    for (const run of runs) if (!opened.has(run.path)) opened.set(run.path, await h264Track(run.path))
    const tracks = [...opened.values()]
    const description = mergeRecords(tracks.map(({ record }) => record))
    const config = await tracks[0]?.track.getDecoderConfig()
    if (!description || !config) return false
    const output = new Output({ format: new Mp4OutputFormat({ fastStart: false }), target: new FilePathTarget(path) })
    const video = new EncodedVideoPacketSource('avc')
    output.addVideoTrack(video, { frameRate: perSecond(rate) })
    await output.start()
    let first: { decoderConfig: VideoDecoderConfig } | undefined = { decoderConfig: { ...config, description } }
    let shown = 0
    for (const { path: from, ...span } of runs) {
      for await (const { packet, frame } of packetsOf(opened.get(from)!.track, rate, span)) {
        const at = timeOf(shown + frame - span.from, rate)
        await video.add(new EncodedPacket(packet.data, packet.type, at, timeOf(1, rate)), first)
        first = undefined
      }
      shown += span.to - span.from
    }
    await output.finalize()
    return true
  } catch (error) {
    // An error with a code comes from the disk, not from the file's content.
    throw error instanceof Problem || (error as NodeJS.ErrnoException).code ? error : damaged(error)
  } finally {
    for (const { [Symbol.dispose]: close } of opened.values()) close()
  }
}

async function* packetsOf(
  track: InputVideoTrack,
  rate: Rate,
  { from, to }: { from: number; to: number },
): AsyncGenerator<{ packet: EncodedPacket; frame: number }> {
  const sink = new EncodedPacketSink(track)
  const start = await track.getFirstTimestamp()
  const first = await sink.getPacket(start + timeOf(from + OFF, rate))
  let count = 0
  if (first) {
    for await (const packet of sink.packets(first)) {
      if (count === to - from) break
      if (packet.data.byteLength === 0 || packet.data.byteLength !== packet.byteLength) throw damaged()
      yield { packet, frame: Math.round((packet.timestamp - start) * perSecond(rate)) }
      count++
    }
  }
  if (count !== to - from) throw damaged()
}
