// Every image adapter with options and assets that make it do real work.
import { photoAddOverlay } from '#adapters/transformers/photo_add_overlay.ts'
import { photoAddQr } from '#adapters/transformers/photo_add_qr.ts'
import { photoAddText } from '#adapters/transformers/photo_add_text.ts'
import { photoBlurFaces } from '#adapters/transformers/photo_blur_faces.ts'
import { photoChromaKey } from '#adapters/transformers/photo_chroma_key.ts'
import { photoCollage } from '#adapters/transformers/photo_collage.ts'
import { photoCompositor } from '#adapters/transformers/photo_compositor.ts'
import { photoConvert } from '#adapters/transformers/photo_convert.ts'
import { photoCrop } from '#adapters/transformers/photo_crop.ts'
import { photoCutout } from '#adapters/transformers/photo_cutout.ts'
import { photoFilter } from '#adapters/transformers/photo_filter.ts'
import { photoFlip } from '#adapters/transformers/photo_flip.ts'
import { photoPick } from '#adapters/transformers/photo_pick.ts'
import { photoResize } from '#adapters/transformers/photo_resize.ts'
import type { ImageAdapter } from '#engine/adapter.ts'
import type { MediaFile } from '#media/file/file.ts'
import { type Folder, type Job, png, scene } from './pictures.ts'

export interface Case extends Job {
  adapter: ImageAdapter
  assets: Record<string, MediaFile[]>
}

const frame =
  '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="60"><rect x="2" y="2" width="76" height="56" fill="none" stroke="#c8102e" stroke-opacity="0.8" stroke-width="4"/></svg>'

/** A 2×2×2 table that swaps red and blue. */
const cube = 'LUT_3D_SIZE 2\n0 0 0\n0 0 1\n0 1 0\n0 1 1\n1 0 0\n1 0 1\n1 1 0\n1 1 1\n'

export async function pictureCases(folder: Folder): Promise<Case[]> {
  const overlay = await folder.file('frame.svg', frame)
  const photo = await folder.file('photo.png', await png(scene(70, 50)))
  const logo = await folder.file('logo.png', await png(scene(20, 20, 4)))
  const lut = await folder.file('swap.cube', cube)
  const layers = [
    { type: 'photo', x: '10%', y: '10%', width: '80%', height: '60%', radius: 6 },
    {
      type: 'image',
      name: 'logo',
      asset: 'logo',
      x: '100%',
      y: 0,
      width: 18,
      height: 18,
      anchor: 'top_right',
      rotate: 20,
    },
    { type: 'shape', x: 4, y: '75%', width: '90%', height: 12, color: '#2244aa80', blend: 'multiply' },
    { type: 'text', text: 'Hello', x: '10%', y: '72%', width: '80%', height: '20%', font: 'Inter Bold' },
  ]
  return [
    { adapter: photoFlip, options: { method: 'ROTATE_90' }, assets: {} },
    { adapter: photoResize, options: { width: 48, height: 48 }, assets: {} },
    { adapter: photoCrop, options: { aspect: '4:5', gravity: 'center' }, assets: {} },
    { adapter: photoConvert, options: { format: 'png', max_side: 60 }, assets: {} },
    {
      adapter: photoFilter,
      options: { preset: 'vintage', brightness: 1.1, blur: 1, sharpen: 1 },
      assets: { lut_file_name: [lut] },
    },
    { adapter: photoAddOverlay, options: { opacity: 0.9 }, assets: { overlay_file_name: [overlay] } },
    { adapter: photoAddText, options: { text: 'Hi there' }, assets: {} },
    { adapter: photoAddQr, options: { data: 'k', size: '60%', quiet: 1 }, assets: {} },
    { adapter: photoChromaKey, options: { key: '#dc283c', tolerance: 0.1 }, assets: { background_file_name: [photo] } },
    { adapter: photoBlurFaces, options: { keep: 'none' }, assets: {} },
    { adapter: photoPick, options: {}, assets: {} },
    { adapter: photoCutout, options: { background: 'blur', on_doubt: 'go_on', shadow: 0.3 }, assets: {} },
    {
      adapter: photoCollage,
      options: { layout: 'grid2x2', width: 90, height: 70, gap: 3, margin: 5 },
      assets: { photo_file_names: [photo] },
    },
    {
      adapter: photoCompositor,
      options: { canvas: { width: 90, height: 110 }, layers, format: 'png' },
      assets: { logo: [logo] },
    },
  ]
}
