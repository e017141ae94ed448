// The sizes that entries ask for: refused where they can never fit, added up to the memory that a run of them needs.
import { Problem } from '#kit/errors.ts'
import type { FileFacts } from '#kit/file-facts.ts'
import { type JsonObject, own } from '#kit/json.ts'
import { type Asked, type Before, bytesOf, faultsOf } from '#media/file/asked.ts'
import {
  type MediaLimits,
  megabytes,
  memoryNeeded,
  OWN_MEMORY,
  pictureFault,
  stillBytes,
} from '#media/file/media-limits.ts'
import { ownedBy } from '#media/file/media-problem.ts'
import { type Adapter, type Adapters, isDestination, type Remark } from '../adapter.ts'
import { valueFor } from '../option-roles.ts'
import type { SegmentEntry } from '../segment.ts'
import { entrySeconds } from './processor-seconds.ts'

export type { MediaLimits }

/** All that is wrong with options that fit their schema; `overridden`: places that an override fills. */
export const remarksOf = (
  adapter: Adapter,
  options: JsonObject,
  overridden: ReadonlySet<string>,
  limits: MediaLimits,
): Remark[] => [
  ...oneOfRemarks(adapter, options, overridden),
  ...(adapter.review?.(options, overridden) ?? []),
  ...sizeRemarks(adapter, options, limits),
]

function oneOfRemarks({ oneOf = [] }: Adapter, options: JsonObject, overridden: ReadonlySet<string>): Remark[] {
  const [first, ...others] = oneOf
  const isSet = (name: string): boolean => overridden.has(name) || (own(options, name) ?? '') !== ''
  if (first === undefined || oneOf.some(isSet)) return []
  return [{ kind: 'missing', field: first, message: `${others.map(name => `or ${name} `).join('')}is required` }]
}

/** What is too large for any file that may come. */
function sizeRemarks(adapter: Adapter, options: JsonObject, limits: MediaLimits): Remark[] {
  const asked = askedOf(adapter, options, null, {})
  return faultsOf(asked, null, moves(adapter), limits).map(({ field, message }) => ({ kind: 'wrong', field, message }))
}

const moves = ({ makes }: Adapter): boolean => makes === 'video'

function askedOf(
  adapter: Adapter,
  options: JsonObject,
  before: Before | null,
  assets: Readonly<Record<string, readonly FileFacts[]>>,
): Asked {
  if (isDestination(adapter)) return {}
  try {
    return adapter.asks?.(options, before, name => assets[name] ?? []) ?? {}
  } catch (error) {
    // The step itself tells what it can't do.
    if (error instanceof Problem) return {}
    throw error
  }
}

export interface Planned {
  /** What the whole run needs at its peak. */
  bytes: number
  /** Processor time that all entries on a picture may take together. */
  pictureSeconds: number
  /** Length of what entries make of a picture or from nothing. */
  madeSeconds: number
}

/**
 * Goes through the entries of a segment with the size that each gets from the one before. Throws what an entry asks for too
 * much of as its own problem.
 */
export function planSizes(
  entries: readonly SegmentEntry[],
  adapters: Adapters,
  input: FileFacts,
  limits: MediaLimits,
  isDeep = false,
): Planned {
  let before = beforeOf(input)
  let perPixel = stillBytes(input.mime, isDeep)
  const picture = input.medium === 'image' ? before : null
  const wrong = picture && (pictureFault(picture, limits) ?? memoryFault(picture, perPixel, limits))
  if (wrong) throw ownedBy(wrong, entries[0]?.index ?? 0)
  let bytes = picture ? memoryNeeded(picture, perPixel) : 0
  let [pictureSeconds, madeSeconds] = [0, 0]
  for (const { index, adapter: name, options, assets } of entries) {
    const adapter = adapters.get(name)
    if (!adapter) continue
    const asked = askedOf(adapter, options, before, assets)
    const [fault] = faultsOf(asked, before, moves(adapter), limits)
    if (fault) throw ownedBy(new Problem(fault.code, `${fault.field} ${fault.message}.`, { errors: [fault] }), index)
    const format = valueFor(adapter, 'format', options)
    if (typeof format === 'string') perPixel = Math.max(perPixel, stillBytes(`image/${format}`, isDeep))
    const need = needOf(asked, before, input, perPixel)
    bytes = Math.max(bytes, need)
    madeSeconds += asked.seconds ?? 0
    pictureSeconds += entrySeconds(need, (before?.frames ?? null) !== null)
    before = after(asked, before)
  }
  return { bytes, pictureSeconds, madeSeconds }
}

const beforeOf = ({ width, height, frames }: FileFacts): Before | null =>
  width === null || height === null ? null : { width, height, frames }

/** A format may take so much for each pixel that the child would be ended by its own limit: a few kilobytes of AVIF are enough. */
function memoryFault(picture: Before, perPixel: number, { maxMemoryBytes }: MediaLimits): Problem | null {
  const [bytes, most] = [memoryNeeded(picture, perPixel), maxMemoryBytes + OWN_MEMORY]
  if (bytes <= most) return null
  return new Problem(
    'memory_limit',
    `The picture needs about ${megabytes(bytes)} MB in its format; at most ${megabytes(most)} MB may be used (KEEPSAKE_MAX_MEMORY_BYTES).`,
  )
}

function needOf(
  { stages = [], bitmaps = [], held = 0 }: Asked,
  before: Before | null,
  { medium }: FileFacts,
  perPixel: number,
): number {
  const frames = before?.frames ?? null
  // Frames of a video are held by ffmpeg, a few at a time; those of a picture by us.
  const picture = medium === 'image' ? [...(before ? [before] : []), ...stages] : []
  const largest = Math.max(0, ...picture.map(({ width, height }) => memoryNeeded({ width, height, frames }, perPixel)))
  return largest + Math.max(0, ...bitmaps.map(bytesOf)) + held
}

function after({ stages = [], still = false }: Asked, before: Before | null): Before | null {
  const size = stages.at(-1) ?? before
  return size && { width: size.width, height: size.height, frames: still ? null : (before?.frames ?? null) }
}
