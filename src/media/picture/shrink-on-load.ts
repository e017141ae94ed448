// Chooses how far libjpeg shrinks a JPEG while it decodes, so that no pixel at its edges is lost.
import type { Size } from '../file/geometry.ts'

export interface Shrink {
  /** 1 decodes every pixel. */
  factor: 1 | 2 | 4 | 8
  /** `fast` and `slow` are what sharp does with `fastShrinkOnLoad` on and off; `none` must be asked for. */
  way: 'fast' | 'slow' | 'none'
}

/**
 * libvips drops the rest where a side is no multiple of the factor: up to seven pixels at the right and at the bottom. sharp offers two
 * factors for a size, so where neither divides both sides every pixel is decoded. Cameras make sides that are multiples of 8.
 */
export function shrinkFor(stored: Size, size: Size): Shrink {
  const by = Math.min(stored.width / size.width, stored.height / size.height)
  for (const way of ['fast', 'slow'] as const) {
    const factor = factorOf(by, way)
    if (stored.width % factor === 0 && stored.height % factor === 0) return { factor, way }
  }
  return { factor: 1, way: 'none' }
}

/** As sharp 0.35 reckons it (pipeline.cc). */
function factorOf(by: number, way: 'fast' | 'slow'): Shrink['factor'] {
  const spare = way === 'fast' ? 1 : 2
  if (by >= 8 * spare) return Math.trunc(by) === 8 ? 4 : 8
  if (by >= 4 * spare) return Math.trunc(by) === 4 ? 2 : 4
  if (by >= 2 * spare) return Math.trunc(by) === 2 ? 1 : 2
  return 1
}
