// video_resize: to a size or a shape, with bars, cut off or over a blurred copy.
import Type from 'typebox'
import { videoAdapter } from '#engine/adapter.ts'
import { Problem } from '#kit/errors.ts'
import type { VideoStream } from '#media/graph/graph.ts'
import { even, fitted } from '#media/graph/video-ops.ts'
import { keptPath } from '#vision/keep-in-frame.ts'
import { closed, colour, gravity } from '../shared/picture-options.ts'
import { pictureOf, videoFit, videoSide } from '../shared/video-options.ts'

const options = Type.Object(
  {
    width: videoSide('Width in pixels; left out, it follows from the height.'),
    height: videoSide('Height in pixels; left out, it follows from the width.'),
    aspect: Type.Union(
      [Type.String({ pattern: '^[1-9][0-9]{0,4}:[1-9][0-9]{0,4}$', expects: 'a shape like "9:16"' }), Type.Null()],
      {
        default: null,
        description: 'A shape such as "9:16", in place of one or both sides: the video’s larger side stays.',
      },
    ),
    fit: videoFit,
    gravity: gravity('With `cover`: which part is kept', 'center'),
    background: colour('Colour of the bars with `pad`.', '#000000'),
  },
  closed,
)

export const videoResize = videoAdapter({
  name: 'video_resize',
  summary: 'Brings a video to a size or a shape.',
  accepts: ['video'],
  makes: 'video',
  options,
  oneOf: ['width', 'height', 'aspect'],
  asks: ({ width, height }) =>
    width !== null && height !== null ? { stages: [{ width: even(width), height: even(height), field: 'width' }] } : {},
  looksForPeople: ({ fit, gravity }) => fit === 'cover' && gravity === 'faces',
  async video(graph, streams, step) {
    const { fit, gravity, background } = step.options
    const video = pictureOf(streams)
    const size = sizeOf(video, step.options)
    const isWhole = fit !== 'cover' || gravity === 'center'
    const path = isWhole ? null : await keptPath(graph, video, size, gravity, step)
    const made = fitted(video, { ...size, fit, background, ...(path && { path }) })
    return { video: made, audio: streams.audio }
  },
})

function sizeOf(
  video: VideoStream,
  { width, height, aspect }: { width: number | null; height: number | null; aspect: string | null },
): { width: number; height: number } {
  if (width !== null && height !== null) return { width: even(width), height: even(height) }
  const [across, down] = (aspect ?? `${video.width}:${video.height}`).split(':').map(Number)
  const shape = across! / down!
  if (width !== null) return { width: even(width), height: even(width / shape) }
  if (height !== null) return { width: even(height * shape), height: even(height) }
  if (aspect === null) throw new Problem('option_missing', 'video_resize needs `width`, `height` or `aspect`.')
  const long = Math.max(video.width, video.height)
  return shape >= 1
    ? { width: even(long), height: even(long / shape) }
    : { width: even(long * shape), height: even(long) }
}
