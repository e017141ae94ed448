// video_flip: turned and mirrored, by the seven names of photo_flip.
import Type from 'typebox'
import { videoAdapter } from '#engine/adapter.ts'
import type { Filter } from '#media/graph/graph.ts'
import { filter, through } from '#media/graph/video-ops.ts'
import { type Method, methods } from '#media/pixels/orientation.ts'
import { closed } from '../shared/picture-options.ts'
import { pictureOf } from '../shared/video-options.ts'

const names = Object.keys(methods) as Method[]

const filters: Record<Method, Filter[]> = {
  FLIP_LEFT_RIGHT: [filter('hflip')],
  FLIP_TOP_BOTTOM: [filter('vflip')],
  ROTATE_90: [filter('transpose', { dir: 'cclock' })],
  ROTATE_180: [filter('hflip'), filter('vflip')],
  ROTATE_270: [filter('transpose', { dir: 'clock' })],
  TRANSPOSE: [filter('transpose', { dir: 'cclock_flip' })],
  TRANSVERSE: [filter('transpose', { dir: 'clock_flip' })],
}

const options = Type.Object(
  { method: Type.Enum(names, { description: 'How it is turned or mirrored; `ROTATE_*` counts against the clock.' }) },
  closed,
)

export const videoFlip = videoAdapter({
  name: 'video_flip',
  summary: 'Turns or mirrors a video.',
  accepts: ['video'],
  makes: 'video',
  options,
  video(_graph, streams, step) {
    const { method } = step.options
    const video = pictureOf(streams)
    const size = methods[method].swap ? { width: video.height, height: video.width } : {}
    return { video: through([video], filters[method], size), audio: streams.audio }
  },
})
