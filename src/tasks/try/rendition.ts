// Renditions: files of tasks as pictures for screens, made once, stored beside their source, and cached in memory.
import { buffer } from 'node:stream/consumers'
import { LRUCache } from 'lru-cache'
import type { Db } from '#db/database.ts'
import { findRendition, keepRendition, type Rendition } from '#db/guests/rendition-rows.ts'
import type { StoredFile } from '#db/tables.ts'
import { transact } from '#db/transact.ts'
import { Problem } from '#kit/errors.ts'
import type { Log } from '#kit/log.ts'
import { newUploads } from '#uploads/uploads.ts'
import { newSharedWork } from './shared-work.ts'
import { drawPicture, type PictureServices, type Thumbnail } from './thumbnail.ts'
import { newVerdicts } from './verdicts.ts'

/** Pixels of the longer side. There are no others, so a file never has more renditions than these. */
export const sides = [640, 1280, 2048] as const
export type Side = (typeof sides)[number]

/** In memory, of all pictures. */
const CACHED_BYTES = 96 * 1024 ** 2

export interface Renditions {
  /**
   * A file of a task within so many pixels; of a video a frame. Fails for a file without a picture in it. Who asks at once shares
   * the work, which ends when all of them are gone. `place` is taken while the picture is made.
   */
  of(
    source: { task_id: string; file: StoredFile },
    side: Side,
    place: (signal: AbortSignal) => Promise<Disposable>,
    signal: AbortSignal,
  ): Promise<Thumbnail>
}

interface RenditionServices extends PictureServices {
  db: Db
  log: Log
}

export function newRenditions(services: RenditionServices): Renditions {
  const cached = new LRUCache<string, Thumbnail>({
    maxSize: CACHED_BYTES,
    sizeCalculation: ({ bytes }) => bytes.length + 1,
  })
  const works = newSharedWork<Thumbnail>((key, picture) => cached.set(key, picture))
  const verdicts = newVerdicts()

  return {
    async of(source, side, place, signal) {
      const key = `${source.file.blob} ${side}`
      const work = (stop: AbortSignal) =>
        verdicts(`${source.file.sha256} ${side}`, () => stored(services, source, side, place, stop))
      return cached.get(key) ?? works.join(key, work, signal)
    },
  }
}

/** The one of the store, or a new one. */
async function stored(
  services: RenditionServices,
  source: { task_id: string; file: StoredFile },
  side: Side,
  place: (signal: AbortSignal) => Promise<Disposable>,
  signal: AbortSignal,
): Promise<Thumbnail> {
  const { db } = services
  const before = await findRendition(db, source.file.blob, side)
  if (before) return read(services, before)
  using _place = await place(signal)
  // Another process may have made it while this one waited.
  const meanwhile = await findRendition(db, source.file.blob, side)
  if (meanwhile) return read(services, meanwhile)
  const picture = await drawPicture(services, source.file, signal, side)
  return keep(services, source, side, picture)
}

async function read({ blobs }: RenditionServices, { blob, mime }: Rendition): Promise<Thumbnail> {
  return { mime, bytes: await buffer(await blobs.read(blob)) }
}

/** Noted as an upload first, so that a crash leaves nothing behind for good. Of two processes that made it the first one's stays. */
async function keep(
  services: RenditionServices,
  { task_id, file }: { task_id: string; file: StoredFile },
  side: Side,
  picture: Thumbnail,
): Promise<Thumbnail> {
  const { db, blobs, log } = services
  const { mime, bytes } = picture
  const uploads = newUploads(db, blobs)
  let upload: string | null = null
  try {
    const { blob } = await uploads.put(chunks(bytes))
    upload = blob
    const row = { source: file.blob, side, task_id, blob, mime }
    if (await transact(db, trx => keepRendition(trx, row))) {
      upload = null
      return picture
    }
  } catch (error) {
    // A guest sees the picture also while it can't be stored.
    log.warn({ err: error, task_id }, 'a picture for screens could not be stored')
    return picture
  } finally {
    if (upload !== null)
      await uploads.drop([upload]).catch(error => log.warn({ err: error }, 'a picture was left to the sweeper'))
  }
  const first = await findRendition(db, file.blob, side)
  if (!first) throw new Problem('gone', 'The file is gone.')
  return read(services, first)
}

async function* chunks(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}
