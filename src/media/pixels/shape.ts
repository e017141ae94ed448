// Shapes with smooth edges: rounded corners as a mask, rectangles and ellipses as layers, and rotation by any angle.

import type { Size } from '../file/geometry.ts'
import type { Colour } from './colour.ts'
import { claim, newBitmap } from './pixel-memory.ts'
import { copied, fromPixels, type Pixels, toPixels, withAlpha } from './pixels.ts'

/** Share of a pixel that lies inside, 0 to 1. */
type Coverage = (x: number, y: number) => number

const clamp = (value: number): number => Math.min(Math.max(value, 0), 1)

/** A rectangle with round corners, computed from the distance to its edge. */
function roundedBox({ width, height }: Size, radius: number): Coverage {
  const r = Math.min(radius, width / 2, height / 2)
  return (x, y) => {
    const dx = Math.abs(x + 0.5 - width / 2) - (width / 2 - r)
    const dy = Math.abs(y + 0.5 - height / 2) - (height / 2 - r)
    // Only pixels near the corners need a real distance.
    const outside = (dx > 0 && dy > 0 ? Math.hypot(dx, dy) : Math.max(dx, dy)) - r
    return clamp(0.5 - outside)
  }
}

function ellipse({ width, height }: Size): Coverage {
  const a = width / 2
  const b = height / 2
  // More than half a pixel from the edge (plus a little for rounding), the result is known without the distance.
  const band = 0.5 / Math.min(a, b) + 1e-9
  const inside = Math.max(0, 1 - band) ** 2
  const outside = (1 + band) ** 2
  return (x, y) => {
    const px = x + 0.5 - a
    const py = y + 0.5 - b
    const square = (px / a) ** 2 + (py / b) ** 2
    if (square < inside) return 1
    if (square > outside) return 0
    const k = Math.hypot(px / a, py / b)
    if (k === 0) return 1
    const slope = Math.hypot(px / (a * a), py / (b * b)) / k
    return clamp(0.5 - (k - 1) / slope)
  }
}

/** A copy with round corners. */
export function withCorners(pixels: Pixels, radius: number): Pixels {
  const out = pixels.channels === 4 ? copied(pixels) : withAlpha(pixels)
  const { width, height } = out
  const inside = roundedBox(out, radius)
  const corner = Math.ceil(Math.min(radius, width / 2, height / 2))
  for (let y = 0; y < height; y++) {
    if (y >= corner && y < height - corner) continue
    for (let x = 0; x < width; x++) {
      if (x === corner) x = Math.max(x, width - corner)
      if (x >= width) break
      const at = (y * width + x) * 4 + 3
      out.data[at] = Math.round(out.data[at]! * inside(x, y))
    }
  }
  return out
}

interface Outline {
  colour: Colour
  width: number
}

/** A filled shape with an outline inside its edge. */
export function drawShape(
  size: Size,
  shape: 'rectangle' | 'ellipse',
  radius: number,
  fill: Colour,
  outline: Outline | null,
): Pixels {
  const form = (box: Size): Coverage => (shape === 'ellipse' ? ellipse(box) : roundedBox(box, radius))
  const whole = form(size)
  const edge = outline?.width ?? 0
  const core = { width: size.width - 2 * edge, height: size.height - 2 * edge }
  const inner =
    core.width > 0 && core.height > 0
      ? shape === 'ellipse'
        ? ellipse(core)
        : roundedBox(core, Math.max(0, radius - edge))
      : () => 0
  const data = newBitmap(size, 4)
  for (let y = 0, at = 0; y < size.height; y++) {
    for (let x = 0; x < size.width; x++, at += 4) {
      const share = whole(x, y)
      if (share === 0) continue
      const middle = outline ? inner(x - edge, y - edge) : 1
      const colour = !outline || middle === 1 ? fill : between(outline.colour, fill, middle)
      data[at] = colour[0]
      data[at + 1] = colour[1]
      data[at + 2] = colour[2]
      data[at + 3] = Math.round(colour[3] * share)
    }
  }
  return { data, width: size.width, height: size.height, channels: 4, depth: 8 }
}

function between(from: Colour, to: Colour, share: number): Colour {
  if (share === 0) return from
  const [r, g, b, a] = from.map((value, i) => Math.round(value + (to[i]! - value) * share))
  return [r!, g!, b!, a!]
}

const BYTES = 4

/** The size of a picture after rotation about its middle. */
export function turned({ width, height }: Size, degrees: number): Size {
  const [across, down] = [Math.abs(Math.cos((degrees * Math.PI) / 180)), Math.abs(Math.sin((degrees * Math.PI) / 180))]
  return { width: Math.ceil(width * across + height * down), height: Math.ceil(width * down + height * across) }
}

/** Rotates clockwise about the middle, on a larger transparent background. */
export function rotated(pixels: Pixels, degrees: number): Promise<Pixels> | Pixels {
  if (degrees % 360 === 0) return pixels
  claim(turned(pixels, degrees), BYTES)
  const clear = { r: 0, g: 0, b: 0, alpha: 0 }
  return toPixels(fromPixels(withAlpha(pixels)).rotate(((degrees % 360) + 360) % 360, { background: clear }), 8)
}
