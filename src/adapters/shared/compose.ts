// Paints the layers of a composition on a canvas, for one frame of the input.
import { assetBitmap, type Bitmap, unknownSize } from '#media/file/asked.ts'
import type { MediaFile } from '#media/file/file.ts'
import type { Rect, Size } from '#media/file/geometry.ts'
import type { MediaLimits } from '#media/file/media-limits.ts'
import { ofAsset } from '#media/file/of-asset.ts'
import { canvasOf, paste } from '#media/picture/canvas.ts'
import { assetLayer, assetSize } from '#media/picture/layer-cache.ts'
import { Picture } from '#media/picture/picture.ts'
import { type Drawing, drawLayer, type Layer, layerOf } from '#media/pixels/blend.ts'
import { parseColour } from '#media/pixels/colour.ts'
import { fitted, pixelsOf, placed, share } from '#media/pixels/fit.ts'
import { cut, type Pixels, to8 } from '#media/pixels/pixels.ts'
import { drawQr, qrWarnings } from '#media/pixels/qr.ts'
import { drawShape, rotated, turned, withCorners } from '#media/pixels/shape.ts'
import { drawText } from '#media/text/draw-text.ts'
import { coverAround, type Witness } from '#vision/crop-to-faces.ts'
import type { CompositorLayer } from './compositor-options.ts'
import { textBytes, textStyle } from './text-options.ts'

export interface Composition {
  picture: Picture
  canvas: Size
  limits: MediaLimits
  /** What a layer shows instead of the input: its asset, or an override. */
  assetOf(layer: CompositorLayer, index: number): MediaFile | null
  font: MediaFile | null
  /** Hears what a layer has to tell. */
  witness: Witness
}

/** A layer ready to be drawn; one per frame of the input where it shows the input. */
interface Painted {
  frames: Pixels[]
  place: Drawing
  /** No transparency to respect: its rows can be copied. */
  plain: boolean
}

export async function paintLayer(
  layer: CompositorLayer,
  index: number,
  composition: Composition,
): Promise<Painted | null> {
  const { canvas } = composition
  const asked = boxOf(layer, canvas)
  const frames = await content(layer, index, asked, composition)
  if (!frames) return null
  const box = layer.type === 'qr' ? qrBox(layer, index, asked, frames, composition) : asked
  const radius = layer.type === 'shape' ? 0 : pixelsOf(layer.radius, Math.min(box.width, box.height))
  const finished: Pixels[] = []
  for (const pixels of frames)
    finished.push(await rotated(radius > 0 ? withCorners(pixels, radius) : pixels, layer.rotate))
  const [first] = finished
  if (!first) return null
  // The middle stays where it is, however large the turned picture became.
  const place = {
    left: Math.round(box.left + (box.width - first.width) / 2),
    top: Math.round(box.top + (box.height - first.height) / 2),
  }
  const plain = first.channels === 3 && layer.opacity === 1 && layer.blend === 'over'
  return { frames: finished, place: { ...place, opacity: layer.opacity, blend: layer.blend }, plain }
}

/** A code whose modules need more room than its box grows from its anchor. */
function qrBox(layer: CompositorLayer, index: number, asked: Size, [code]: Pixels[], composition: Composition): Rect {
  const { canvas, witness } = composition
  const box = boxOf({ ...layer, width: code!.width, height: code!.height }, canvas)
  for (const warning of qrWarnings(box, asked.width, box, canvas)) witness.warn(`${label(layer, index)}: ${warning}`)
  return box
}

function boxOf({ x, y, width, height, anchor, type }: CompositorLayer, canvas: Size): Rect {
  const wide = Math.max(1, Math.round(pixelsOf(width, canvas.width)))
  const high = Math.max(1, Math.round(pixelsOf(height, canvas.height)))
  const size =
    type === 'qr' ? { width: Math.min(wide, high), height: Math.min(wide, high) } : { width: wide, height: high }
  const [across, down] = share(anchor)
  return {
    left: Math.round(pixelsOf(x, canvas.width) - size.width * across),
    top: Math.round(pixelsOf(y, canvas.height) - size.height * down),
    ...size,
  }
}

async function content(
  layer: CompositorLayer,
  index: number,
  box: Size,
  composition: Composition,
): Promise<Pixels[] | null> {
  switch (layer.type) {
    case 'photo':
    case 'image': {
      const file = composition.assetOf(layer, index)
      if (file && layer.type === 'photo' && layer.gravity !== 'center')
        return ofAsset(file, async () =>
          photo((await Picture.open(file, composition.limits)).firstFrame(), box, layer, composition.witness),
        )
      if (file) return [await image(file, layer, box, composition.limits)]
      if (layer.type === 'photo') return photo(composition.picture, box, layer, composition.witness)
      composition.witness.warn(`${label(layer, index)} has no asset to show, so it was left out.`)
      return null
    }
    case 'text': {
      if (layer.text.trim() === '') return null
      const { pixels, warnings } = await drawText(layer.text, box, textStyle(layer, box.height, composition.font))
      for (const warning of warnings) composition.witness.warn(`${label(layer, index)}: ${warning}`)
      return [pixels]
    }
    case 'qr':
      if (layer.data.trim() === '') {
        composition.witness.warn(`${label(layer, index)} has nothing to put into its QR code, so it was left out.`)
        return null
      }
      return [drawQr(layer.data, box.width, layer)]
    case 'shape': {
      const { color, stroke, shape, radius } = layer
      const outline = stroke && stroke.width > 0 ? { colour: parseColour(stroke.color), width: stroke.width } : null
      return [drawShape(box, shape, pixelsOf(radius, Math.min(box.width, box.height)), parseColour(color), outline)]
    }
  }
}

const label = ({ name }: CompositorLayer, index: number): string => (name ? `Layer "${name}"` : `Layer ${index}`)

async function photo(
  picture: Picture,
  box: Size,
  { fit, gravity }: CompositorLayer,
  witness: Witness,
): Promise<Pixels[]> {
  const size = fitted(picture, box, fit)
  const visible = fit === 'cover' ? await coverAround(picture, size, box, gravity, witness) : await picture.resize(size)
  return (await visible.pixels()).map(to8)
}

async function image(file: MediaFile, layer: CompositorLayer, box: Size, limits: MediaLimits): Promise<Pixels> {
  const size = fitted(assetSize(file), box, layer.fit)
  const { pixels } = await assetLayer(file, size, limits)
  if (layer.fit !== 'cover') return pixels
  const { left, top } = placed(box, size, 'center')
  return cut(pixels, { left, top, width: box.width, height: box.height })
}

/** Every frame with nothing on it but the background. */
export function canvases(canvas: Size, background: string, below: Layer | null, count: number): Pixels[] {
  return Array.from({ length: count }, () => {
    const base = canvasOf(canvas, parseColour(background))
    return below ? drawLayer(base, below, placed(below.pixels, canvas, 'center')) : base
  })
}

/** One layer on every frame: only one of them is held beside the frames. */
export const withLayer = (bases: readonly Pixels[], { frames, place, plain }: Painted): Pixels[] =>
  bases.map((base, frame) => {
    const pixels = frames[frame] ?? frames[0]!
    return plain ? paste(base, pixels, place.left, place.top) : drawLayer(base, layerOf(pixels), place)
  })

/** What painting a layer asks for. */
export function layerBitmap(layer: CompositorLayer, index: number, canvas: Size, frames: number): Bitmap {
  const box = boxOf(layer, canvas)
  const size = turned(box, layer.rotate)
  const copies = (layer.radius === 0 ? 0 : RGBA) + (layer.rotate % 360 === 0 ? 0 : 2 * RGBA)
  const perPixel = drawing[layer.type](layer) + copies
  return {
    ...size,
    field: `layers[${index}]`,
    perPixel,
    ...(layer.type === 'photo' ? { frames } : {}),
  }
}

const RGBA = 4

const drawing: Record<CompositorLayer['type'], (layer: CompositorLayer) => number> = {
  photo: () => RGBA,
  image: () => assetBitmap('', unknownSize).perPixel,
  text: textBytes,
  qr: () => RGBA,
  shape: () => RGBA,
}
