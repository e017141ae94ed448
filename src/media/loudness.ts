// How loud something is by EBU R128, and the gain that brings it to a target.

import { gained, limited } from './audio-ops.ts'
import type { AudioStream } from './graph.ts'

export interface Loudness {
  /** LUFS; `-Infinity` for silence. */
  integrated: number
  /** dBTP */
  peak: number
}

const CEILING = -1
const SILENT = -69

/** Reads the summary that ffmpeg's ebur128 prints at the end. */
export function readLoudness(stderr: string): Loudness {
  const last = (pattern: RegExp): number => {
    const found = [...stderr.matchAll(pattern)].at(-1)?.[1]
    const value = found === undefined || found === '-inf' || found === 'nan' ? Number.NEGATIVE_INFINITY : Number(found)
    // The meter's own floor is -70.
    return value <= SILENT ? Number.NEGATIVE_INFINITY : value
  }
  return { integrated: last(/I:\s+(-?[\d.]+|-inf|nan) LUFS/g), peak: last(/Peak:\s+(-?[\d.]+|-inf|nan) dBFS/g) }
}

/** One gain over the whole, so that quiet and loud keep their distance; only peaks beyond the ceiling are held down. */
export function levelled(audio: AudioStream, { integrated, peak }: Loudness, target: number): AudioStream {
  if (integrated === Number.NEGATIVE_INFINITY) return audio
  const gain = target - integrated
  const louder = gained(audio, gain)
  return peak + gain > CEILING ? limited(louder) : louder
}
