// Makes small pictures of stored files for lists, in a media child, and caches them in memory by content.
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

const SIDE = 160
const KEPT = 2_000
const TIMEOUT_MS = 20_000

export interface Thumbnail {
  mime: string
  bytes: Buffer
}

export interface Thumbnails {
  /** Fails for a file without a picture in it. `place` is taken while the thumbnail is made. */
  of(file: StoredFile, place: () => Promise<Disposable>, signal: AbortSignal): Promise<Thumbnail>
}

interface ThumbnailServices {
  blobs: Blobs
  media: Media
  settings: Settings
}

export function newThumbnails(services: ThumbnailServices): Thumbnails {
  const kept = new LRUCache<string, Thumbnail>({ max: KEPT })
  return {
    async of(file, place, signal) {
      const before = kept.get(file.sha256)
      if (before) return before
      using _place = await place()
      // Another request may have made the same thumbnail meanwhile.
      const known = kept.get(file.sha256)
      if (known) return known
      const thumbnail = await make(services, file, signal)
      kept.set(file.sha256, thumbnail)
      return thumbnail
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
/** Share of the duration where the frame is taken: after a fade-in, before much has happened. */
const POSTER = 0.1

const ofVideo = (seconds: number | null): SegmentEntry[] => [
  step(0, 'video_thumbnail', { at: (seconds ?? 0) * POSTER, width: SIDE, height: SIDE, format: 'jpeg' }),
]

async function make(
  { blobs, media, settings }: ThumbnailServices,
  file: StoredFile,
  signal: AbortSignal,
): Promise<Thumbnail> {
  const { blob, sha256: _sha256, ...facts } = file
  if (facts.medium !== 'image' && facts.medium !== 'video')
    throw new Problem('not_found', 'There is no picture of this kind of file.')
  await using folder = await newWorkFolder(settings.data)
  const path = await blobs.local(blob, folder.path)
  const isVideo = facts.medium === 'video'
  const known = isVideo && facts.duration === null ? await media.probe(path, signal) : facts
  const { output } = await media.run(
    {
      form: isVideo ? 'video' : 'image',
      input: { ...(known as typeof facts & { medium: 'image' | 'video' }), bytes: facts.bytes, path },
      entries: isVideo ? ofVideo(known.duration) : ofPicture,
      folder: newFolder(folder.path),
      experienceId: null,
    },
    { signal, timeoutMs: TIMEOUT_MS },
  )
  return { mime: output.mime, bytes: await readFile(output.path) }
}
