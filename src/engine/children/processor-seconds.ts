// How much processor time a job of a media child may take: some ten times of what it takes on an ordinary machine, so that slow ones are no reason.
import { statSync } from 'node:fs'
import type { FileFacts } from '#kit/file-facts.ts'
import type { MediaLimits } from '#media/file/media-limits.ts'
import type { SegmentRequest } from '../segment.ts'
import type { Planned } from './sizes.ts'

/** For any file, and for each MiB. */
const PROBE = 20
const PROBE_MIB = 0.025
/** For any entry on a picture, and for each second of what it holds in memory: 13 bytes a pixel, for dear formats more. */
const PICTURE = 30
const PICTURE_BYTES = 5e6
/** An animation is written frame by frame, with a palette for each. */
const MOVING = 16
/** For any entry on a recording, and for each second of it and megapixel of a frame. */
const RECORDING = 600
const RECORDED = 200

export const probeSeconds = (path: string): number =>
  PROBE + ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) / 1024 ** 2) * PROBE_MIB

/** One entry on a picture. `bytes`: what it needs in memory. */
export const entrySeconds = (bytes: number, moves: boolean): number =>
  PICTURE + (bytes / PICTURE_BYTES) * (moves ? MOVING : 1)

/** A whole segment. */
export function segmentSeconds(
  { form, input, entries }: Pick<SegmentRequest, 'form' | 'input' | 'entries'>,
  { pictureSeconds, madeSeconds }: Planned,
  limits: Pick<MediaLimits, 'maxVideoSeconds' | 'maxVideoPixels'>,
): number {
  if (form === 'image') return PICTURE + pictureSeconds
  const files = [input, ...entries.flatMap(({ assets }) => Object.values(assets).flat())]
  const made = madeSeconds * megapixels(limits.maxVideoPixels)
  const recorded = files.reduce((sum, file) => sum + workOf(file, limits), made)
  return (RECORDING + RECORDED * recorded) * Math.max(1, entries.length)
}

/** Seconds times megapixels. */
function workOf(
  { medium, width, height, duration }: FileFacts,
  { maxVideoSeconds }: Pick<MediaLimits, 'maxVideoSeconds'>,
): number {
  const seconds = medium === 'video' || medium === 'audio' ? (duration ?? maxVideoSeconds) : 0
  return seconds * megapixels((width ?? 0) * (height ?? 0))
}

const megapixels = (pixels: number): number => Math.max(1, pixels / 1e6)
