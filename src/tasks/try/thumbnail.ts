// Makes smaller pictures of stored files in a media child; caches the squares for lists in memory, by content.
import { readFile } from 'node:fs/promises'
import { LRUCache } from 'lru-cache'
import type { StoredFile } from '#db/tables.ts'
import type { Media } from '#engine/children/media.ts'
import type { SegmentEntry } from '#engine/segment.ts'
import { Problem } from '#kit/errors.ts'
import type { JsonObject } from '#kit/json.ts'
import type { Settings } from '#kit/settings.ts'
import type { Blobs } from '#storage/blobs.ts'
import { newWorkFolder } from '#storage/work-folders.ts'
import { newFolder } from '../entry/local-files.ts'
import { newVerdicts } from './verdicts.ts'

const SIDE = 160
/** Of all pictures that are kept. */
const KEPT_BYTES = 32 * 1024 ** 2

export interface Thumbnail {
  mime: string
  bytes: Buffer
}

export interface Thumbnails {
  /** A square for a list, or a logo. Fails for a file without a picture in it. `place` is taken while the picture is made. */
  of(file: StoredFile, place: () => Promise<Disposable>, signal: AbortSignal): Promise<Thumbnail>
}

export interface PictureServices {
  blobs: Blobs
  media: Pick<Media, 'run' | 'probe'>
  settings: Settings
  /** How long a picture may take. */
  waits: { pictureMs: number }
}

/** `form`: a square, or the whole picture as a logo. */
export function newThumbnails(services: PictureServices, form: 'square' | 'logo' = 'square'): Thumbnails {
  const cache = new LRUCache<string, Thumbnail>({ maxSize: KEPT_BYTES, sizeCalculation: ({ bytes }) => bytes.length })
  const verdicts = newVerdicts()
  return {
    async of(file, place, signal) {
      const key = file.sha256
      const before = cache.get(key)
      if (before) return before
      return verdicts(key, async () => {
        using _place = await place()
        // Another request may have made the same picture meanwhile.
        const known = cache.get(key)
        if (known) return known
        const thumbnail = await drawPicture(services, file, signal, form)
        cache.set(key, thumbnail)
        return thumbnail
      })
    },
  }
}

const step = (index: number, adapter: string, options: JsonObject): SegmentEntry => ({
  index,
  adapter,
  options,
  assets: {},
  context: {},
})

const ofPicture: SegmentEntry[] = [
  step(0, 'photo_resize', {
    width: SIDE,
    height: SIDE,
    fit: 'cover',
    gravity: 'center',
    enlarge: false,
    background: '#ffffff',
  }),
  step(1, 'photo_convert', { format: 'jpeg', quality: 72, max_side: null }),
]
const ofScreen = (side: number): SegmentEntry[] => [
  step(0, 'photo_convert', { format: 'jpeg', quality: 82, max_side: side }),
]
/** With what is transparent in it. */
const ofLogo: SegmentEntry[] = [step(0, 'photo_convert', { format: 'png', quality: 82, max_side: 640 })]
/** Share of the duration where the frame is taken: after a fade-in, before much has happened. */
const POSTER = 0.1

const ofVideo = (seconds: number | null, size: JsonObject): SegmentEntry[] => [
  step(0, 'video_thumbnail', { at: (seconds ?? 0) * POSTER, format: 'jpeg', ...size }),
]

const SQUARE = { width: SIDE, height: SIDE }

/** The longer side of the frame as asked for, and no longer than it is. */
function within({ width, height }: Pick<StoredFile, 'width' | 'height'>, side: number): JsonObject {
  const isWide = (width ?? 0) >= (height ?? 0)
  const longer = Math.min(side, (isWide ? width : height) ?? side)
  return isWide ? { width: longer, height: null } : { width: null, height: longer }
}

/** A square, a logo, or the whole picture within so many pixels. */
export async function drawPicture(
  { blobs, media, settings, waits }: PictureServices,
  file: StoredFile,
  signal: AbortSignal,
  form: 'square' | 'logo' | number,
): Promise<Thumbnail> {
  const { blob, sha256: _sha256, ...facts } = file
  if (facts.medium !== 'image' && facts.medium !== 'video')
    throw new Problem('not_found', 'There is no picture of this kind of file.')
  await using folder = await newWorkFolder(settings.data)
  const path = await blobs.local(blob, folder.path, signal)
  const isVideo = facts.medium === 'video'
  const known = isVideo && facts.duration === null ? await media.probe(path, signal) : facts
  const { output } = await media.run(
    {
      form: isVideo ? 'video' : 'image',
      input: { ...(known as typeof facts & { medium: 'image' | 'video' }), bytes: facts.bytes, path },
      entries: isVideo
        ? ofVideo(known.duration, typeof form === 'number' ? within(known, form) : SQUARE)
        : typeof form === 'number'
          ? ofScreen(form)
          : form === 'logo'
            ? ofLogo
            : ofPicture,
      folder: newFolder(folder.path),
      experienceId: null,
    },
    { signal, timeoutMs: waits.pictureMs, ours: true },
  )
  return { mime: output.mime, bytes: await readFile(output.path) }
}
