// The transformers: one line each. What a media child runs.
import type { Adapter, Adapters } from '#engine/adapter.ts'
import { audioConvert } from './transformers/audio_convert.ts'
import { audioNormalize } from './transformers/audio_normalize.ts'
import { photoAddOverlay } from './transformers/photo_add_overlay.ts'
import { photoAddQr } from './transformers/photo_add_qr.ts'
import { photoAddText } from './transformers/photo_add_text.ts'
import { photoBlurFaces } from './transformers/photo_blur_faces.ts'
import { photoChromaKey } from './transformers/photo_chroma_key.ts'
import { photoCollage } from './transformers/photo_collage.ts'
import { photoCompositor } from './transformers/photo_compositor.ts'
import { photoConvert } from './transformers/photo_convert.ts'
import { photoCrop } from './transformers/photo_crop.ts'
import { photoCutout } from './transformers/photo_cutout.ts'
import { photoFilter } from './transformers/photo_filter.ts'
import { photoFlip } from './transformers/photo_flip.ts'
import { photoPick } from './transformers/photo_pick.ts'
import { photoResize } from './transformers/photo_resize.ts'
import { photoToVideo } from './transformers/photo_to_video.ts'
import { videoAddAudio } from './transformers/video_add_audio.ts'
import { videoAddOverlay } from './transformers/video_add_overlay.ts'
import { videoAddText } from './transformers/video_add_text.ts'
import { videoBoomerang } from './transformers/video_boomerang.ts'
import { videoChromaKey } from './transformers/video_chroma_key.ts'
import { videoConvert } from './transformers/video_convert.ts'
import { videoCutout } from './transformers/video_cutout.ts'
import { videoFade } from './transformers/video_fade.ts'
import { videoFlip } from './transformers/video_flip.ts'
import { videoJoin } from './transformers/video_join.ts'
import { videoResize } from './transformers/video_resize.ts'
import { videoSpeed } from './transformers/video_speed.ts'
import { videoThumbnail } from './transformers/video_thumbnail.ts'
import { videoToGif } from './transformers/video_to_gif.ts'
import { videoTrim } from './transformers/video_trim.ts'

const list: Adapter[] = [
  audioConvert,
  audioNormalize,
  photoAddOverlay,
  photoAddQr,
  photoAddText,
  photoBlurFaces,
  photoChromaKey,
  photoCollage,
  photoCompositor,
  photoConvert,
  photoCrop,
  photoCutout,
  photoFilter,
  photoFlip,
  photoPick,
  photoResize,
  photoToVideo,
  videoAddAudio,
  videoAddOverlay,
  videoAddText,
  videoBoomerang,
  videoChromaKey,
  videoConvert,
  videoCutout,
  videoFade,
  videoFlip,
  videoJoin,
  videoResize,
  videoSpeed,
  videoThumbnail,
  videoToGif,
  videoTrim,
]

/** By name. */
export const transformers: Adapters = new Map(list.map(adapter => [adapter.name, adapter]))
