// The poster of a video: one typical frame as a small JPEG, for lists and pages.
import type { MediaFile } from './file.ts'
import { makeFrame } from './make-picture.ts'
import type { MakeRoom } from './make-room.ts'
import { openGraph } from './open-graph.ts'
import { cutTo, even, scaled, written } from './video-ops.ts'

const WIDTH = 480
const QUALITY = 80
/** Past a fade in, before much has happened. */
const AT = 0.1

/** Writes it into the room's folder; null for what has no picture. */
export async function makePoster(file: MediaFile, room: MakeRoom): Promise<string | null> {
  const { video } = (await openGraph(file, room)).streams
  if (!video) return null
  const at = Math.min(video.frames - 1, Math.floor(video.frames * AT))
  const factor = Math.min(1, WIDTH / video.width)
  const frame = scaled(cutTo(video, at, at + 1), even(video.width * factor), even(video.height * factor))
  return (await makeFrame(written(frame, { format: 'jpeg', quality: QUALITY }), room)).path
}
