// Reads loudness (EBU R128) from ffmpeg's output and computes the gain to a target.

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

/** Reads the summary that ffmpeg's ebur128 filter prints at the end. */
export function readLoudness(stderr: string): Loudness {
  const last = (pattern: RegExp): number => {
    const found = [...stderr.matchAll(pattern)].at(-1)?.[1]
    const value = found === undefined || found === '-inf' || found === 'nan' ? Number.NEGATIVE_INFINITY : Number(found)
    // The meter's floor is -70, so values near it mean silence.
    return value <= SILENT ? Number.NEGATIVE_INFINITY : value
  }
  return { integrated: last(/I:\s+(-?[\d.]+|-inf|nan) LUFS/g), peak: last(/Peak:\s+(-?[\d.]+|-inf|nan) dBFS/g) }
}

/** Largest extra gain in dB. With more, the limiter becomes audible. */
const MOST_EXTRA = 3
const NEAR = 0.3

/**
 * Applies one gain to the whole stream, so quiet and loud parts keep their distance. A limiter lowers only peaks above the ceiling.
 * When that costs loudness, a second pass adds gain, at most MOST_EXTRA.
 */
export async function toLoudness(
  audio: AudioStream,
  target: number,
  { integrated, peak }: Loudness,
  measure: (audio: AudioStream) => Promise<Loudness>,
): Promise<{ audio: AudioStream; integrated: number }> {
  if (integrated === Number.NEGATIVE_INFINITY) return { audio, integrated }
  const gain = target - integrated
  if (peak + gain <= CEILING) return { audio: gained(audio, gain), integrated: target }
  const held = limited(gained(audio, gain))
  const after = (await measure(held)).integrated
  if (target - after < NEAR) return { audio: held, integrated: after }
  const again = limited(gained(audio, gain + Math.min(MOST_EXTRA, (target - after) * 1.5)))
  return { audio: again, integrated: (await measure(again)).integrated }
}
