// Shapes with smooth edges: rounded corners as a mask, rectangles and ellipses as layers, and turns by any angle.
import type { Colour } from './colour.ts'
import { fromPixels, type Pixels, toPixels, withAlpha } from './pixels.ts'
import type { Size } from './turn.ts'

/** How much of a pixel lies inside, 0 to 1. */
type Coverage = (x: number, y: number) => number

const clamp = (value: number): number => Math.min(Math.max(value, 0), 1)

/** A rectangle with round corners, by the distance from its edge. */
export function roundedBox({ width, height }: Size, radius: number): Coverage {
  const r = Math.min(radius, width / 2, height / 2)
  return (x, y) => {
    const dx = Math.abs(x + 0.5 - width / 2) - (width / 2 - r)
    const dy = Math.abs(y + 0.5 - height / 2) - (height / 2 - r)
    const outside = Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) - r
    return clamp(0.5 - outside)
  }
}

export function ellipse({ width, height }: Size): Coverage {
  const [a, b] = [width / 2, height / 2]
  return (x, y) => {
    const [px, py] = [x + 0.5 - a, y + 0.5 - b]
    const k = Math.hypot(px / a, py / b)
    if (k === 0) return 1
    const slope = Math.hypot(px / (a * a), py / (b * b)) / k
    return clamp(0.5 - (k - 1) / slope)
  }
}

/** A copy with round corners. */
export function withCorners(pixels: Pixels, radius: number): Pixels {
  const out = withAlpha(pixels.channels === 4 ? { ...pixels, data: Buffer.from(pixels.data) } : pixels)
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

export interface Outline {
  colour: Colour
  width: number
}

/** A filled shape, with an outline inside its edge. */
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
  const data = Buffer.alloc(size.width * size.height * 4)
  for (let y = 0, at = 0; y < size.height; y++) {
    for (let x = 0; x < size.width; x++, at += 4) {
      const share = whole(x, y)
      if (share === 0) continue
      const middle = outline ? inner(x - edge, y - edge) : 1
      const [r, g, b, a] = outline ? between(outline.colour, fill, middle) : fill
      data[at] = r
      data[at + 1] = g
      data[at + 2] = b
      data[at + 3] = Math.round(a * share)
    }
  }
  return { data, width: size.width, height: size.height, channels: 4, depth: 8 }
}

function between(from: Colour, to: Colour, share: number): Colour {
  const [r, g, b, a] = from.map((value, i) => Math.round(value + (to[i]! - value) * share))
  return [r!, g!, b!, a!]
}

/** Turned clockwise about its middle, on a larger transparent ground. */
export function rotated(pixels: Pixels, degrees: number): Promise<Pixels> | Pixels {
  if (degrees % 360 === 0) return pixels
  const clear = { r: 0, g: 0, b: 0, alpha: 0 }
  return toPixels(fromPixels(withAlpha(pixels)).rotate(((degrees % 360) + 360) % 360, { background: clear }), 8)
}
