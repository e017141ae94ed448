// video_thumbnail: one frame of a video as a picture.
import Type from 'typebox'
import { videoAdapter } from '#engine/adapter.ts'
import { Problem } from '#kit/errors.ts'
import { frameAt } from '#media/file/frame-rate.ts'
import type { Size } from '#media/file/geometry.ts'
import { secondsOf, type VideoStream } from '#media/graph/graph.ts'
import { atRate, cutTo, evenUp, filter, fitted, through, written } from '#media/graph/video-ops.ts'
import { closed } from '../shared/picture-options.ts'
import { pictureOf, videoSide } from '../shared/video-options.ts'

const options = Type.Object(
  {
    at: Type.Union([Type.Literal('best'), Type.Number({ minimum: 0, maximum: 4 * 3600 })], {
      default: 'best',
      description:
        'Second of the frame, or `best` for one that is typical of the first seconds and neither black nor blurred by a cut.',
    }),
    width: videoSide('Width in pixels; left out, it follows from the height or stays.'),
    height: videoSide(
      'Height in pixels; left out, it follows from the width or stays. With both set the frame is cut to their shape.',
    ),
    format: Type.Enum(['jpeg', 'png'], { default: 'jpeg', description: 'Format of the picture.' }),
  },
  closed,
)

const QUALITY = 90
const SEARCHED_SECONDS = 10
const SAMPLED = { num: 5, den: 1 }

export const videoThumbnail = videoAdapter({
  name: 'video_thumbnail',
  summary: 'Takes one frame of a video as a picture.',
  accepts: ['video'],
  makes: 'image',
  options,
  video(_graph, streams, step) {
    const { at, width, height, format } = step.options
    const video = pictureOf(streams)
    if (at !== 'best' && at > secondsOf(video))
      throw new Problem('bad_options', `at is ${at} s, but the video lasts only ${secondsOf(video).toFixed(1)} s.`)
    const frame = at === 'best' ? typical(video) : single(video, Math.min(video.frames - 1, frameAt(at, video.rate)))
    const size = sizeFor(frame, width, height)
    return { video: written(filling(frame, size), { format, quality: QUALITY, size }), audio: null }
  },
})

const single = (video: VideoStream, frame: number): VideoStream => cutTo(video, frame, frame + 1)

/** The frame whose colours are nearest to the mean of some seconds, after the beginning. */
function typical(video: VideoStream): VideoStream {
  const from = secondsOf(video) > 2 ? Math.floor(video.frames / 10) : 0
  const part = cutTo(video, from, Math.min(video.frames, from + frameAt(SEARCHED_SECONDS, video.rate)))
  const sampled = part.rate.num / part.rate.den > 5 && part.frames > 10 ? atRate(part, SAMPLED) : part
  return through(
    [sampled],
    [filter('thumbnail', { n: Math.max(2, sampled.frames) })],
    { frames: 1 },
    { held: sampled.frames },
  )
}

function sizeFor(video: Size, width: number | null, height: number | null): Size {
  if (width !== null && height !== null) return { width, height }
  const factor = width !== null ? width / video.width : height !== null ? height / video.height : 1
  const side = (pixels: number): number => Math.max(1, Math.round(pixels * factor))
  return { width: side(video.width), height: side(video.height) }
}

/** Sides of frames are even, so one pixel more than asked for may be there. */
function filling(video: VideoStream, { width, height }: Size): VideoStream {
  const frame = { width: evenUp(width), height: evenUp(height) }
  return fitted(video, { ...frame, fit: 'cover', background: '#000000' })
}
