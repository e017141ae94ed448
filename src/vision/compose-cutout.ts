// Puts people, cut out by a matte, before another ground: clean colours at the edge, light that wraps around, a soft shadow.
import type { Size } from '#media/file/geometry.ts'
import { newCopy } from '#media/pixels/pixel-memory.ts'
import type { Pixels } from '#media/pixels/pixels.ts'
import { awayFrom, type Shadow, shadowOf } from './edges.ts'
import { boxMean, restOf, rowReader } from './fields.ts'
import { alphaReader, type Matte } from './matte.ts'

export interface CutLook extends Shadow {
  /** 0 cuts hard, 1 fades over all that the model is unsure of. */
  softness: number
  /** How much of the ground's light falls on edges, 0 to 1. */
  wrap: number
  /** How dark the shadow is, 0 to 1. */
  shadow: number
}

/** A radius in shares of the longer side. */
const COLOURS = 0.02

/**
 * `small` is the picture at the size of the matte. People are drawn on the ground, which has the size of the picture. Without a ground the rest
 * becomes transparent, and where it lets through the result does too.
 */
export function composeCutout(
  pixels: Pixels,
  small: Pixels,
  matte: Matte,
  ground: Pixels | null,
  look: CutLook,
): Pixels {
  const { width, height, channels, data } = pixels
  const half = halved(small, matte, look.softness)
  const longest = Math.max(half.width, half.height)
  const [frontRed, frontGreen, frontBlue, backRed, backGreen, backBlue] = edgeColours(
    half,
    Math.max(1, Math.round(longest * COLOURS)),
  )
  const alphas = alphaReader(matte, pixels, look.softness)
  const wraps = look.wrap > 0 && ground ? rowReader(awayFrom(half.alpha, half), half, pixels) : null
  const shadows = look.shadow > 0 ? rowReader(shadowOf(half.alpha, half, look), half, pixels) : null
  const light = wraps && ground ? blurredGround(ground, half, longest) : null
  const outChannels = ground?.channels ?? 4
  const isOpaque = outChannels === 3
  const out = ground?.data ?? newCopy({ width, height }, outChannels)
  const [alpha, wrapped, shaded] = [new Float32Array(width), new Float32Array(width), new Float32Array(width)]
  const below = ground?.data ?? null
  const columns = Uint32Array.from({ length: width }, (_, x) => nearest(x, half.width, width))
  /** People alone, from one column to before another. */
  const copyPeople = (y: number, from: number, to: number): void => {
    const row = y * width
    if (channels === 3 && isOpaque) {
      out.set(data.subarray((row + from) * 3, (row + to) * 3), (row + from) * 3)
      return
    }
    for (let x = row + from; x < row + to; x++) {
      for (let c = 0; c < 3; c++) out[x * outChannels + c] = data[x * channels + c]!
      if (!isOpaque) out[x * outChannels + 3] = 255
    }
  }
  // A function for each row, which V8 optimizes after a few of them; one loop over all would run to its end as it began.
  const paint = (y: number): void => {
    alphas(y, alpha)
    wraps?.(y, wrapped)
    shadows?.(y, shaded)
    const row = y * width * outChannels
    const halfRow = nearest(y, half.height, height) * half.width
    // Most pixels are all of one and none of the other: the ground stays, and people are laid in runs.
    for (let x = 0; x < width; x++) {
      const a = channels === 4 ? (alpha[x]! * data[(y * width + x) * 4 + 3]!) / 255 : alpha[x]!
      const dark = shadows === null ? 0 : shaded[x]! * look.shadow
      if (below && a <= CLEAR && dark === 0) continue
      const isLit = light !== null && wrapped[x]! > LIT
      if (below && a >= 1 - CLEAR && !isLit) {
        const from = x
        while (
          channels === 3 &&
          x + 1 < width &&
          alpha[x + 1]! >= 1 - CLEAR &&
          (light === null || wrapped[x + 1]! <= LIT)
        )
          x++
        copyPeople(y, from, x + 1)
        continue
      }
      const near = halfRow + columns[x]!
      const at = (y * width + x) * channels
      const to = row + x * outChannels
      let r = data[at]!
      let g = data[at + 1]!
      let b = data[at + 2]!
      if (a > CLEAR) {
        if (a < 1 - CLEAR) {
          r = cleaned(r, a, frontRed[near]!, backRed[near]!)
          g = cleaned(g, a, frontGreen[near]!, backGreen[near]!)
          b = cleaned(b, a, frontBlue[near]!, backBlue[near]!)
        }
        if (isLit) {
          const share = Math.min(1, wrapped[x]! * look.wrap) * (isOpaque ? 1 : below![to + 3]! / 255)
          r += (light[0][near]! - r) * share
          g += (light[1][near]! - g) * share
          b += (light[2][near]! - b) * share
        }
      }
      if (below && isOpaque) {
        const rest = (1 - dark) * (1 - a)
        out[to] = r * a + below[to]! * rest + 0.5
        out[to + 1] = g * a + below[to + 1]! * rest + 0.5
        out[to + 2] = b * a + below[to + 2]! * rest + 0.5
        continue
      }
      const rest = below ? (1 - a) * (1 - dark) * (below[to + 3]! / 255) : 0
      const whole = a + (1 - a) * dark + rest
      const factor = whole === 0 ? 0 : a / whole
      // Nothing lies in a new picture yet, and none of a ground that is clear counts.
      const share = rest === 0 ? 0 : rest / whole
      out[to] = r * factor + out[to]! * share + 0.5
      out[to + 1] = g * factor + out[to + 1]! * share + 0.5
      out[to + 2] = b * factor + out[to + 2]! * share + 0.5
      out[to + 3] = whole * 255 + 0.5
    }
  }
  for (let y = 0; y < height; y++) paint(y)
  return { data: out, width, height, channels: outChannels, depth: 8 }
}

/** Less than this is not seen. */
const CLEAR = 0.003
/** Less light than this is none. */
const LIT = 0.02

/** The colour of a person alone where it is mixed with the old ground. */
function cleaned(value: number, a: number, front: number, back: number): number {
  const clean = front + a * (value - a * front - (1 - a) * back)
  return clean < 0 ? 0 : clean > 255 ? 255 : clean
}

/** The picture and its alpha at half the size of the matte: enough for all that is blurred. */
interface Half extends Size {
  colours: Colours
  alpha: Float32Array
}

function halved(small: Pixels, matte: Matte, softness: number): Half {
  const width = Math.max(1, small.width >> 1)
  const height = Math.max(1, small.height >> 1)
  const field = (): Float32Array => new Float32Array(width * height)
  const half: Half = { width, height, colours: [field(), field(), field()], alpha: field() }
  const read = alphaReader(matte, small, softness)
  const row = new Float32Array(small.width)
  for (let y = 0; y < height; y++) {
    read(Math.min(2 * y, small.height - 1), row)
    for (let x = 0; x < width; x++) {
      const from = Math.min(2 * x, small.width - 1)
      const at = (Math.min(2 * y, small.height - 1) * small.width + from) * small.channels
      const to = y * width + x
      half.alpha[to] = row[from]!
      for (let c = 0; c < 3; c++) half.colours[c]![to] = small.data[at + c]!
    }
  }
  return half
}

type Colours = [red: Float32Array, green: Float32Array, blue: Float32Array]

/** The colours of people and of the old ground around each place (Forte: Approximate Fast Foreground Colour Estimation). */
function edgeColours(half: Half, radius: number): [...Colours, ...Colours] {
  const { colours, alpha } = half
  const weigh = (weights: Float32Array): Colours => {
    const sum = boxMean(weights, half, radius)
    const weighed = (channel: Float32Array): Float32Array => {
      const means = new Float32Array(channel.length)
      for (let i = 0; i < channel.length; i++) means[i] = channel[i]! * weights[i]!
      boxMean(means, half, radius, means)
      for (let i = 0; i < means.length; i++) means[i] = sum[i]! > 0.001 ? means[i]! / sum[i]! : channel[i]!
      return means
    }
    return [weighed(colours[0]), weighed(colours[1]), weighed(colours[2])]
  }
  return [...weigh(alpha), ...weigh(restOf(alpha))]
}

/** The sample of a short line for a place of a long one. What is blurred this much needs no sample between two. */
const nearest = (at: number, small: number, large: number): number => Math.min(((at * small) / large) | 0, small - 1)

function blurredGround(ground: Pixels, half: Half, longest: number): Colours {
  const { width, height } = half
  const radius = Math.max(1, Math.round(longest * 0.02))
  const columns = Uint32Array.from({ length: width }, (_, x) => nearest(x, ground.width, width))
  const blurred = (channel: number): Float32Array => {
    const field = new Float32Array(width * height)
    for (let y = 0; y < height; y++) {
      const row = nearest(y, ground.height, height) * ground.width
      for (let x = 0; x < width; x++)
        field[y * width + x] = ground.data[(row + columns[x]!) * ground.channels + channel]!
    }
    return boxMean(field, half, radius, field)
  }
  return [blurred(0), blurred(1), blurred(2)]
}
