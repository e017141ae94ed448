// Makes faces unclear: what is left of them is a few colours, with soft rims; faces that are kept do not change by a bit.
import type { Rect } from '#media/file/geometry.ts'
import { clipped } from '#media/pixels/fit.ts'
import { cut, fromPixels, type Pixels, toPixels, words } from '#media/pixels/pixels.ts'

interface Hiding {
  method: 'blur' | 'pixelate'
  /** 0 to 1. */
  strength: number
  /** How far around a face it reaches, in shares of the face. */
  margin: number
}

/** Changes the pixels in place. */
export async function hideFaces(
  pixels: Pixels,
  faces: readonly Rect[],
  kept: readonly Rect[],
  hiding: Hiding,
): Promise<Pixels> {
  for (const face of faces) {
    const part = clipped(widened(face, hiding.margin), pixels)
    if (part) blend(pixels, await unclear(cut(pixels, part), hiding), part, face, kept, hiding)
  }
  return pixels
}

function widened({ left, top, width, height }: Rect, margin: number): Rect {
  const [across, down] = [Math.ceil(width * margin), Math.ceil(height * margin)]
  return {
    left: Math.floor(left) - across,
    top: Math.floor(top) - down,
    width: Math.ceil(width) + 2 * across,
    height: Math.ceil(height) + 2 * down,
  }
}

/** A face of `side` pixels becomes a grid of 3 to 9: too few to tell anybody by, whatever is done to it later. */
async function unclear(part: Pixels, { method, strength }: Hiding): Promise<Pixels> {
  const cells = Math.round(10.5 - 7.5 * strength)
  const longest = Math.max(part.width, part.height)
  const small = {
    width: Math.max(1, Math.min(part.width, Math.round((cells * part.width) / longest))),
    height: Math.max(1, Math.min(part.height, Math.round((cells * part.height) / longest))),
  }
  const few = await toPixels(fromPixels(part).resize({ ...small, fit: 'fill', kernel: 'mks2013' }), part.depth)
  const back = fromPixels(few).resize({
    width: part.width,
    height: part.height,
    fit: 'fill',
    kernel: method === 'pixelate' ? 'nearest' : 'cubic',
  })
  return toPixels(back, part.depth)
}

/** An ellipse over the face and its margin: whole over the face, fading at the rim; never over a face that is kept. */
function blend(
  pixels: Pixels,
  over: Pixels,
  part: Rect,
  face: Rect,
  kept: readonly Rect[],
  { method, margin }: Hiding,
): void {
  const [to, from] = pixels.depth === 16 ? [words(pixels), words(over)] : [pixels.data, over.data]
  const { channels } = pixels
  const [middleX, middleY] = [face.left + face.width / 2, face.top + face.height / 2]
  const reach = 0.5 + margin
  for (let y = 0; y < part.height; y++)
    for (let x = 0; x < part.width; x++) {
      const [at, down] = [part.left + x, part.top + y]
      if (kept.some(box => isInside(box, at, down))) continue
      const across = (at + 0.5 - middleX) / (face.width * reach)
      const deep = (down + 0.5 - middleY) / (face.height * reach)
      const distance = Math.sqrt(across * across + deep * deep)
      const isFace = isInside(face, at, down)
      const share = isFace || method === 'pixelate' ? 1 : Math.min(1, Math.max(0, (1.05 - distance) / 0.15))
      if (share === 0) continue
      const [i, j] = [(y * part.width + x) * channels, (down * pixels.width + at) * channels]
      for (let c = 0; c < 3; c++) to[j + c] = Math.round(from[i + c]! * share + to[j + c]! * (1 - share))
    }
}

const isInside = ({ left, top, width, height }: Rect, x: number, y: number): boolean =>
  x >= left && x < left + width && y >= top && y < top + height
