// photo_to_video: a picture that moves a little, with music if wanted.
import Type from 'typebox'
import { videoAdapter } from '#engine/adapter.ts'
import { STILL_BYTES, unknownSize } from '#media/file/asked.ts'
import { exactRate, frameAt, type Rate } from '#media/file/frame-rate.ts'
import type { Size } from '#media/file/geometry.ts'
import { fadedAudio } from '#media/graph/audio-ops.ts'
import { type Graph, type Streams, secondsOf, type VideoStream } from '#media/graph/graph.ts'
import { cutTo, even, filter, fitted, repeating, scaled, stillStream, through } from '#media/graph/video-ops.ts'
import { asset, closed } from '../shared/picture-options.ts'
import { soundLasting, videoSide } from '../shared/video-options.ts'

const options = Type.Object(
  {
    duration: Type.Number({ minimum: 0.5, maximum: 120, default: 5, description: 'Seconds it lasts.' }),
    motion: Type.Enum(['none', 'zoom_in', 'zoom_out', 'pan'], {
      default: 'zoom_in',
      description: 'How the view moves over the picture.',
    }),
    fps: Type.Number({ minimum: 1, maximum: 60, default: 30, description: 'Frames per second.' }),
    width: videoSide(
      'Width of the video; left out, it follows from the picture, at most 1920 pixels on the longer side.',
    ),
    height: videoSide(
      'Height of the video; left out, it follows from the picture. With both set the picture is cut to their shape.',
    ),
    audio_file_name: asset('Music under it; left out, it is silent.'),
  },
  closed,
)

type Motion = Type.Static<typeof options>['motion']

const LONGEST_SIDE = 1920
const ZOOM = 0.15
/** Drawn larger and scaled down: sharp at the end of the zoom too, and the slow movement does not tremble. */
const FINER = 1 + ZOOM
const FADE_SECONDS = 0.5

export const photoToVideo = videoAdapter({
  name: 'photo_to_video',
  summary: 'Makes a video of a picture, with a slow movement and music if wanted.',
  accepts: ['image'],
  makes: 'video',
  options,
  assets: [{ name: 'audio_file_name', accepts: ['audio', 'video'] }],
  asks(options, before) {
    const { duration, fps, width, height } = options
    const field = width === null ? 'height' : 'width'
    // One side alone gives the other only with the shape of the picture.
    const size = before || (width !== null && height !== null) ? sizeFor(before ?? unknownSize, options) : null
    return {
      ...(size && {
        stages: [{ ...size, field }],
        bitmaps: [{ ...drawnSize(size, options), field, perPixel: STILL_BYTES }],
      }),
      seconds: duration,
      fps,
    }
  },
  async video(graph, streams, step) {
    const { duration, motion, fps } = step.options
    const rate = exactRate(fps)
    const size = sizeFor(streams.video ?? graph.input, step.options)
    const shown = await picture(graph, streams, drawnSize(size, step.options), rate)
    const held = cutTo(shown, 0, Math.max(1, frameAt(duration, rate)))
    const video = scaled(moved(held, motion), size.width, size.height)
    const [music] = step.assets('audio_file_name')
    if (!music) return { video, audio: null }
    const sound = await soundLasting(graph, music, 'audio_file_name', secondsOf(video))
    return { video, audio: fadedAudio(sound, 0, FADE_SECONDS) }
  },
})

function drawnSize({ width, height }: Size, { motion }: { motion: Motion }): Size {
  const finer = motion === 'none' ? 1 : FINER
  return { width: even(width * finer), height: even(height * finer) }
}

function sizeFor(
  picture: { width: number | null; height: number | null },
  set: { width: number | null; height: number | null },
): { width: number; height: number } {
  const [own, high] = [picture.width ?? LONGEST_SIDE, picture.height ?? LONGEST_SIDE]
  if (set.width !== null && set.height !== null) return { width: even(set.width), height: even(set.height) }
  const factor =
    set.width !== null
      ? set.width / own
      : set.height !== null
        ? set.height / high
        : Math.min(1, LONGEST_SIDE / Math.max(own, high))
  const side = (pixels: number): number => even(2 * Math.floor(Math.round(pixels) / 2))
  return { width: side(own * factor), height: side(high * factor) }
}

/** The input, or the frame that an entry before has taken. */
async function picture(
  graph: Graph,
  { video }: Streams,
  size: { width: number; height: number },
  rate: Rate,
): Promise<VideoStream> {
  const frame = { ...size, fit: 'cover' as const, background: '#000000' }
  if (video) return fitted({ ...through([video], repeating(rate)), rate, frames: Number.POSITIVE_INFINITY }, frame)
  const { parts } = await graph.still(graph.input, 'input', { ...size, fit: 'cover', background: '#000000', rate })
  return fitted(stillStream(parts[0]!), frame)
}

/** `perspective` moves by fractions of a pixel, which a crop cannot. */
function moved(video: VideoStream, motion: Motion): VideoStream {
  if (motion === 'none') return video
  const along = `(1-cos(PI*on/${Math.max(1, video.frames - 1)}))/2`
  const zoom =
    motion === 'pan' ? `${1 + ZOOM}` : motion === 'zoom_in' ? `(1+${ZOOM}*${along})` : `(1+${ZOOM}-${ZOOM}*${along})`
  const across = motion === 'pan' && video.width >= video.height ? along : '0.5'
  const down = motion === 'pan' && video.width < video.height ? along : '0.5'
  const [left, top] = [`W*(1-1/${zoom})*${across}`, `H*(1-1/${zoom})*${down}`]
  const [right, bottom] = [`${left}+W/${zoom}`, `${top}+H/${zoom}`]
  const corners = { x0: left, y0: top, x1: right, y1: top, x2: left, y2: bottom, x3: right, y3: bottom }
  return through(
    [video],
    [filter('perspective', { ...corners, interpolation: 'linear', sense: 'source', eval: 'frame' })],
  )
}
