// Splits a result into pieces to copy packet by packet and pieces to encode: for joins, cuts and steps with a time window.
import type { Source, Span, VideoOrigin, VideoStream } from '../graph/graph.ts'
import { isBt709 } from '../graph/source-filters.ts'
import { cutTo } from '../graph/video-ops.ts'
import { mergeRecords } from '../probe/h264.ts'
import type { PacketIndex } from '../probe/packets.ts'

export type Piece =
  | { readonly kind: 'copy'; readonly source: Source; readonly span: Span }
  | {
      readonly kind: 'encode'
      readonly stream: VideoStream
      readonly frames: number
      /** When set, only these frames of the stream's source are encoded. */
      readonly only: { stream: VideoStream; span: Span } | null
    }

/** Finds the key frames of a source; null when copying its packets is not safe. */
type IndexOf = (source: Source, stream: VideoStream) => Promise<PacketIndex | null>

const piecesFrames = (pieces: readonly Piece[]): number => pieces.reduce((sum, piece) => sum + framesOf(piece), 0)

export const framesOf = (piece: Piece): number =>
  piece.kind === 'copy' ? piece.span.to - piece.span.from : piece.frames

const whole = (stream: VideoStream): Piece[] => [{ kind: 'encode', stream, frames: stream.frames, only: null }]

/** True when no part comes from the guest, so one clip serves all tasks. */
export function isAssetOnly({ origin }: VideoStream): boolean {
  switch (origin.kind) {
    case 'source':
      return origin.source.asset
    case 'still':
      return origin.still.asset
    case 'made':
      return false
    case 'colour':
      return true
    case 'filters':
      return origin.inputs.every(isAssetOnly)
    case 'cut':
      return isAssetOnly(origin.input)
    case 'join':
      return origin.parts.every(isAssetOnly)
  }
}

/** Checks the conditions that need no look at the packets: codec, geometry, colour, timing. */
export function mayCopy(stream: VideoStream, { probe }: Source): boolean {
  const track = probe.video
  if (track?.codec !== 'h264' || !track.record || !track.plain || !track.constant || !track.whole) return false
  const { primaries, transfer, matrix } = track.colour
  const tags = [primaries, transfer, matrix]
  const tagged = tags.every(tag => tag === 'bt709') || tags.every(tag => tag === null)
  const isoMedia = probe.mime === 'video/mp4' || probe.mime === 'video/quicktime'
  const untouched =
    track.rotation === 0 &&
    !track.mirrored &&
    track.squarePixels &&
    track.width === stream.width &&
    track.height === stream.height
  return isoMedia && untouched && tagged && isBt709(track) && Math.abs(track.start - probe.start) < 0.002
}

export async function piecesOf(stream: VideoStream, indexOf: IndexOf): Promise<Piece[]> {
  const { origin } = stream
  if (origin.kind === 'join') return (await Promise.all(origin.parts.map(part => piecesOf(part, indexOf)))).flat()
  if (origin.kind === 'source') return (await copiedWhole(stream, origin, indexOf)) ?? whole(stream)
  if (origin.kind === 'cut') return (await copiedCut(origin.input, origin.span, indexOf)) ?? whole(stream)
  if (origin.kind === 'filters') return (await aroundWindows(stream, indexOf)) ?? whole(stream)
  return whole(stream)
}

type SourceOrigin = Extract<VideoOrigin, { kind: 'source' }>

async function safeIndex(
  stream: VideoStream,
  { source, loop }: SourceOrigin,
  indexOf: IndexOf,
): Promise<PacketIndex | null> {
  if (loop || !mayCopy(stream, source)) return null
  const index = await indexOf(source, stream)
  return index && index.frames === stream.frames ? index : null
}

async function copiedWhole(stream: VideoStream, origin: SourceOrigin, indexOf: IndexOf): Promise<Piece[] | null> {
  const index = await safeIndex(stream, origin, indexOf)
  return index && [{ kind: 'copy', source: origin.source, span: { from: 0, to: index.frames } }]
}

/** Encodes only the groups of pictures that the cut goes through, and copies the rest. */
async function copiedCut(input: VideoStream, { from, to }: Span, indexOf: IndexOf): Promise<Piece[] | null> {
  if (input.origin.kind !== 'source') return null
  const index = await safeIndex(input, input.origin, indexOf)
  if (!index) return null
  const bounds = [...index.keys, index.frames]
  const first = bounds.find(key => key >= from)
  const last = bounds.findLast(key => key <= to)
  if (first === undefined || last === undefined || last <= first) return null
  const encoded = (a: number, b: number): Piece[] => (b > a ? whole(cutTo(input, a, b)) : [])
  return [
    ...encoded(from, first),
    { kind: 'copy', source: input.origin.source, span: { from: first, to: last } },
    ...encoded(last, to),
  ]
}

/** When every step has a time window, only groups of pictures inside the windows are encoded; all others are copied. */
async function aroundWindows(stream: VideoStream, indexOf: IndexOf): Promise<Piece[] | null> {
  const windows: Span[] = []
  let base = stream
  while (base.origin.kind === 'filters') {
    const { window, inputs } = base.origin
    const [next] = inputs
    if (!window || !next) return null
    windows.push(window)
    base = next
  }
  const { origin } = base
  if (origin.kind !== 'source') return null
  const index = await safeIndex(base, origin, indexOf)
  if (!index) return null
  const pieces: Piece[] = []
  for (const group of groups(index)) {
    const touched = windows.some(({ from, to }) => from < group.to && to > group.from)
    const last = pieces.at(-1)
    if (touched && last?.kind === 'encode')
      pieces[pieces.length - 1] = encodeOnly(stream, base, { from: last.only!.span.from, to: group.to })
    else if (!touched && last?.kind === 'copy')
      pieces[pieces.length - 1] = { ...last, span: { from: last.span.from, to: group.to } }
    else pieces.push(touched ? encodeOnly(stream, base, group) : { kind: 'copy', source: origin.source, span: group })
  }
  return pieces
}

const encodeOnly = (stream: VideoStream, base: VideoStream, span: Span): Piece => ({
  kind: 'encode',
  stream,
  frames: span.to - span.from,
  only: { stream: base, span },
})

const groups = ({ keys, frames }: PacketIndex): Span[] => keys.map((from, i) => ({ from, to: keys[i + 1] ?? frames }))

/**
 * When the parameter sets or colours of two sources do not fit together, one of them is encoded: an asset if there is one, because
 * the store keeps the result, otherwise the source with fewer frames.
 */
export function reconciled(pieces: readonly Piece[], streamOf: (source: Source) => VideoStream): Piece[] {
  const copied = new Map<Source, number>()
  for (const piece of pieces)
    if (piece.kind === 'copy') copied.set(piece.source, (copied.get(piece.source) ?? 0) + framesOf(piece))
  if (copied.size < 2 || goTogether([...copied.keys()])) return [...pieces]
  const assets = [...copied].filter(([source]) => source.asset)
  const [shortest] = (assets.length > 0 ? assets : [...copied]).reduce((a, b) => (b[1] < a[1] ? b : a))
  const instead = pieces.map(piece =>
    piece.kind === 'copy' && piece.source === shortest
      ? whole(cutTo(streamOf(shortest), piece.span.from, piece.span.to))[0]!
      : piece,
  )
  return reconciled(instead, streamOf)
}

function goTogether(sources: readonly Source[]): boolean {
  const records = sources.map(({ probe }) => probe.video!.record!)
  const tags = new Set(sources.map(({ probe }) => probe.video!.colour.matrix))
  return tags.size === 1 && mergeRecords(records) !== null
}

/** Whether pieces save anything over one encode. `keeps`: a store keeps the clips made from assets alone. */
export function isWorthIt(pieces: readonly Piece[], keeps: boolean): boolean {
  const copied = pieces.reduce((sum, piece) => sum + (piece.kind === 'copy' ? framesOf(piece) : 0), 0)
  if (copied >= piecesFrames(pieces) / 10) return true
  const encodes = pieces.filter(piece => piece.kind === 'encode')
  const streams = new Set(encodes.map(({ stream }) => stream))
  return (
    pieces.length > 1 && (streams.size < encodes.length || (keeps && encodes.some(({ stream }) => isAssetOnly(stream))))
  )
}
