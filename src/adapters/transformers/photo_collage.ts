// photo_collage: several photos on one sheet: a strip, a grid, or places of one's own.
import Type, { type Static } from 'typebox'
import { imageAdapter } from '#engine/adapter.ts'
import { Problem } from '#kit/errors.ts'
import { assetBitmap } from '#media/file/asked.ts'
import type { Rect, Size } from '#media/file/geometry.ts'
import { checkPicture } from '#media/file/media-limits.ts'
import { ofAsset } from '#media/file/of-asset.ts'
import { canvasOf, paste } from '#media/picture/canvas.ts'
import { assetLayer, assetSize } from '#media/picture/layer-cache.ts'
import { Picture } from '#media/picture/picture.ts'
import { drawLayer } from '#media/pixels/blend.ts'
import { parseColour } from '#media/pixels/colour.ts'
import { fitted, pixelsOf, placed } from '#media/pixels/fit.ts'
import { type Pixels, to8 } from '#media/pixels/pixels.ts'
import { coverAround, type Gravity, type Witness } from '#vision/crop-to-faces.ts'
import { asset, closed, colour, extent, gravity, length, side } from '../shared/picture-options.ts'

const cell = Type.Object(
  {
    x: length('Left edge of the place: pixels or "50%" of the sheet.'),
    y: length('Top edge of the place: pixels or "50%" of the sheet.'),
    width: extent('Width of the place: pixels or "50%" of the sheet.'),
    height: extent('Height of the place: pixels or "50%" of the sheet.'),
  },
  closed,
)

const options = Type.Object(
  {
    layout: Type.Enum(['strip3', 'strip4', 'grid2x2', 'custom'], {
      default: 'strip3',
      description: 'Three or four photos one below the other, two by two, or the places of `cells`.',
    }),
    width: side('Width of the sheet; left out: 600 for a strip, 1800 for a grid.'),
    height: side('Height of the sheet; left out: 1800.'),
    gap: Type.Integer({ minimum: 0, maximum: 2_000, default: 24, description: 'Pixels between the photos.' }),
    margin: Type.Integer({ minimum: 0, maximum: 2_000, default: 48, description: 'Pixels around them.' }),
    background: colour('Colour of the sheet.', '#ffffff'),
    gravity: gravity('What of each photo is kept in its place', 'center'),
    cells: Type.Array(cell, {
      default: [],
      maxItems: 64,
      description: 'With `custom`: the places, in the order of the photos.',
    }),
    photo_file_names: Type.Array(Type.String({ maxLength: 128 }), {
      default: [],
      maxItems: 64,
      description: 'Assets with the further photos; the input is the first.',
    }),
    background_file_name: asset('Asset that covers the sheet, below the photos.'),
    overlay_file_name: asset('Asset that is stretched over the sheet, above the photos.'),
  },
  closed,
)

export const photoCollage = imageAdapter({
  name: 'photo_collage',
  summary: 'Puts several photos on one sheet: a strip, a grid or places of your own.',
  accepts: ['image'],
  makes: 'same',
  options,
  assets: [
    { name: 'photo_file_names', accepts: ['image'], list: true },
    { name: 'background_file_name', accepts: ['image'] },
    { name: 'overlay_file_name', accepts: ['image'] },
  ],
  review: ({ layout, cells }) =>
    layout === 'custom' && cells.length === 0
      ? [{ kind: 'missing', field: 'cells', message: 'is required with the layout `custom`' }]
      : [],
  asks(options, _before, assets) {
    const { sheet, cells } = places(options)
    const [background] = assets('background_file_name')
    return {
      stages: [{ ...sheet, field: options.width === null ? 'height' : 'width' }],
      bitmaps: [
        ...cells.map(({ width, height }, i) => assetBitmap(`cells[${i}]`, { width, height })),
        ...(background && background.width !== null
          ? [assetBitmap('background_file_name', fitted(assetSize(background), sheet, 'cover'))]
          : []),
        ...(assets('overlay_file_name').length > 0 ? [assetBitmap('overlay_file_name', sheet)] : []),
      ],
      still: true,
    }
  },
  looksForPeople: ({ gravity }) => gravity === 'faces',
  async image(picture, step) {
    const { limits } = picture
    const { gravity } = step.options
    const { sheet, cells } = places(step.options)
    checkPicture({ ...sheet, frames: null }, limits)
    if (picture.animation) step.warn('A collage does not move: only the first frame is shown.')
    const [background] = step.assets('background_file_name')
    const [overlay] = step.assets('overlay_file_name')
    let base = canvasOf(sheet, parseColour(step.options.background))
    if (background) {
      const size = fitted(assetSize(background), sheet, 'cover')
      base = drawLayer(base, await assetLayer(background, size, limits), placed(size, sheet, 'center'))
    }
    const files = step.assets('photo_file_names')
    const count = files.length + 1
    if (count < cells.length) step.decide(`${count} photos for ${cells.length} places: they are repeated.`)
    if (count > cells.length)
      step.warn(`There are ${count} photos for ${cells.length} places; the last ones are left out.`)
    for (const [i, place] of cells.entries()) {
      const file = files[(i % count) - 1]
      const pixels = file
        ? await ofAsset(file, async () => filling(await Picture.open(file, limits), place, gravity, step))
        : await filling(picture, place, gravity, step)
      base = paste(base, pixels, place.left, place.top)
      step.progress((i + 1) / (cells.length + 1))
    }
    if (overlay) base = drawLayer(base, await assetLayer(overlay, sheet, limits), { left: 0, top: 0 })
    return picture.firstFrame().redraw(() => base)
  },
})

async function filling(photo: Picture, place: Rect, gravity: Gravity, witness: Witness): Promise<Pixels> {
  const size = fitted(photo, place, 'cover')
  const shown = await coverAround(photo.firstFrame(), size, place, gravity, witness)
  const [pixels] = await shown.pixels()
  return to8(pixels!)
}

function places({ layout, width, height, gap, margin, cells }: Static<typeof options>): { sheet: Size; cells: Rect[] } {
  const grid = layout === 'grid2x2'
  const sheet = { width: width ?? (layout.startsWith('strip') ? 600 : 1800), height: height ?? 1800 }
  if (layout === 'custom') {
    if (cells.length === 0) throw new Problem('option_missing', 'photo_collage with the layout `custom` needs `cells`.')
    return { sheet, cells: cells.map(place => inPixels(place, sheet)) }
  }
  const [columns, rows] = grid ? [2, 2] : [1, layout === 'strip3' ? 3 : 4]
  const wide = (sheet.width - 2 * margin - (columns - 1) * gap) / columns
  const high = (sheet.height - 2 * margin - (rows - 1) * gap) / rows
  if (wide < 1 || high < 1) throw new Problem('bad_options', 'Margin and gap leave no room for the photos.')
  const even = Array.from({ length: columns * rows }, (_, i) => {
    const [column, row] = [i % columns, Math.floor(i / columns)]
    return { x: margin + column * (wide + gap), y: margin + row * (high + gap), width: wide, height: high }
  })
  return { sheet, cells: even.map(place => inPixels(place, sheet)) }
}

/** Edges are rounded, not sizes, so that no gap differs from another by more than the eye allows. */
function inPixels({ x, y, width, height }: Static<typeof cell>, sheet: Size): Rect {
  const left = Math.round(pixelsOf(x, sheet.width))
  const top = Math.round(pixelsOf(y, sheet.height))
  return {
    left,
    top,
    width: Math.max(1, Math.round(pixelsOf(width, sheet.width))),
    height: Math.max(1, Math.round(pixelsOf(height, sheet.height))),
  }
}
