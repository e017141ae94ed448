// video_thumbnail: one frame of a video as a picture.
import Type from 'typebox'
import { videoAdapter } from '#engine/adapter.ts'
import { Problem } from '#kit/errors.ts'
import { frameAt } from '#media/file/frame-rate.ts'
import { secondsOf, type VideoStream } from '#media/graph/graph.ts'
import { atRate, cutTo, even, filter, fitted, scaled, through, written } from '#media/graph/video-ops.ts'
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
    return { video: written(sized(frame, width, height), { format, quality: QUALITY }), audio: null }
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

function sized(video: VideoStream, width: number | null, height: number | null): VideoStream {
  if (width !== null && height !== null)
    return fitted(video, { width: even(width), height: even(height), fit: 'cover', background: '#000000' })
  const factor = width !== null ? width / video.width : height !== null ? height / video.height : 1
  return scaled(video, even(video.width * factor), even(video.height * factor))
}
