// video_to_gif: a few seconds as an animated GIF or WebP under a size.
import Type from 'typebox'
import { videoAdapter } from '#engine/adapter.ts'
import { Problem } from '#kit/errors.ts'
import { heldFor } from '#media/file/asked.ts'
import { exactRate, frameAt, perSecond } from '#media/file/frame-rate.ts'
import { secondsOf } from '#media/graph/graph.ts'
import { atRate, cutTo, even, evenDown, scaled, written } from '#media/graph/video-ops.ts'
import { closed } from '../shared/picture-options.ts'
import { pictureOf, secondsOption } from '../shared/video-options.ts'

const options = Type.Object(
  {
    start: secondsOption('Second at which it begins.'),
    duration: Type.Number({ minimum: 0.1, maximum: 30, default: 4, description: 'Seconds it lasts.' }),
    fps: Type.Number({ minimum: 1, maximum: 50, default: 12, description: 'Frames per second.' }),
    width: Type.Integer({
      minimum: 16,
      maximum: 1920,
      default: 480,
      description: 'Width in pixels at most; the height follows.',
    }),
    format: Type.Enum(['gif', 'webp'], {
      default: 'gif',
      description: '`webp` is a third of the size and has all colours; `gif` is shown everywhere.',
    }),
    max_bytes: Type.Integer({
      minimum: 10_000,
      maximum: 100_000_000,
      default: 8_000_000,
      description: 'Bytes it may have; colours, rate and width are brought down until it fits.',
    }),
  },
  closed,
)

export const videoToGif = videoAdapter({
  name: 'video_to_gif',
  summary: 'Makes an animated GIF or WebP of a few seconds.',
  accepts: ['video'],
  makes: 'image',
  options,
  asks({ duration, fps, width }, before) {
    if (!before) return {}
    const factor = Math.min(1, width / before.width)
    const size = { width: before.width * factor, height: before.height * factor }
    return { held: heldFor(size, duration, fps) * 2 }
  },
  video(_graph, streams, step) {
    const { start, duration, fps, width, format, max_bytes: maxBytes } = step.options
    const video = pictureOf(streams)
    const from = frameAt(start, video.rate)
    if (from >= video.frames)
      throw new Problem(
        'bad_options',
        `start is ${start} s, but the video lasts only ${secondsOf(video).toFixed(1)} s.`,
      )
    const part = cutTo(video, from, from + Math.max(1, frameAt(duration, video.rate)))
    const slower = fps < perSecond(part.rate) ? atRate(part, exactRate(fps)) : part
    const factor = Math.min(1, width / video.width)
    const small = scaled(slower, evenDown(video.width * factor), even(video.height * factor))
    return { video: written(small, { format, maxBytes }), audio: null }
  },
})
