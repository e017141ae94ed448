// What lies along the edges of people: where light of the ground reaches, and where their shadow falls.
import type { Size } from '#media/file/geometry.ts'
import { boxMean, restOf } from './fields.ts'

/** Where a shadow falls, in shares of the longer side. */
export interface Shadow {
  shadowX: number
  shadowY: number
}

/** Radii in shares of the longer side. */
const WRAP = 0.012
const SHADOW = 0.022

/** How much of what is around each place is no person. */
export function awayFrom(alpha: Float32Array, size: Size): Float32Array {
  const rest = restOf(alpha)
  return boxMean(rest, size, Math.max(1, Math.round(Math.max(size.width, size.height) * WRAP)), rest)
}

/** Two boxes make a shadow round enough. */
export function shadowOf(alpha: Float32Array, size: Size, { shadowX, shadowY }: Shadow): Float32Array {
  const { width, height } = size
  const longest = Math.max(width, height)
  const [across, down] = [Math.round(shadowX * longest), Math.round(shadowY * longest)]
  const moved = new Float32Array(alpha.length)
  for (let y = Math.max(0, down); y < Math.min(height, height + down); y++)
    for (let x = Math.max(0, across); x < Math.min(width, width + across); x++)
      moved[y * width + x] = alpha[(y - down) * width + x - across]!
  const radius = Math.max(1, Math.round((longest * SHADOW) / 2))
  return boxMean(boxMean(moved, size, radius, moved), size, radius, moved)
}
