// The list of adapters: one line each.
import type { Adapter, Adapters } from '#engine/adapter.ts'
import { s3Upload } from './destinations/s3_upload.ts'
import { photoAddOverlay } from './transformers/photo_add_overlay.ts'
import { photoAddQr } from './transformers/photo_add_qr.ts'
import { photoChromaKey } from './transformers/photo_chroma_key.ts'
import { photoConvert } from './transformers/photo_convert.ts'
import { photoCrop } from './transformers/photo_crop.ts'
import { photoFilter } from './transformers/photo_filter.ts'
import { photoFlip } from './transformers/photo_flip.ts'
import { photoResize } from './transformers/photo_resize.ts'
import { videoAddAudio } from './transformers/video_add_audio.ts'
import { videoAddOverlay } from './transformers/video_add_overlay.ts'
import { videoJoin } from './transformers/video_join.ts'

const transformers: Adapter[] = [
  photoAddOverlay,
  photoAddQr,
  photoChromaKey,
  photoConvert,
  photoCrop,
  photoFilter,
  photoFlip,
  photoResize,
  videoAddAudio,
  videoAddOverlay,
  videoJoin,
]

const byName = (list: readonly Adapter[]): Adapters => new Map(list.map(adapter => [adapter.name, adapter]))

/** What a media child runs. */
export const adapters: Adapters = byName(transformers)

/** All of them, with what destinations need to know of this machine. */
export function adapterList(_machine: { localRoot: string | null }): Adapters {
  return byName([...transformers, s3Upload])
}
