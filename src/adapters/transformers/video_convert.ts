// video_convert: another container, size, rate or quality.
import Type from 'typebox'
import { videoAdapter } from '#engine/adapter.ts'
import { exactRate } from '#media/file/frame-rate.ts'
import { atRate, even, scaled, written } from '#media/graph/video-ops.ts'
import { closed } from '../shared/picture-options.ts'
import { frameRate, pictureOf } from '../shared/video-options.ts'

const options = Type.Object(
  {
    format: Type.Enum(['mp4', 'webm', 'mov'], {
      default: 'mp4',
      description: '`mp4` and `mov` hold H.264 and AAC, `webm` holds VP9 and Opus.',
    }),
    crf: Type.Integer({
      minimum: 10,
      maximum: 45,
      default: 21,
      description: 'Quality: less is better and larger; 18 is hardly told from the source, 28 is small.',
    }),
    preset: Type.Enum(['ultrafast', 'superfast', 'veryfast', 'faster', 'fast', 'medium'], {
      default: 'veryfast',
      description:
        'How long the encoder looks for savings; `medium` takes two and a half times as long for a tenth less.',
    }),
    max_height: Type.Union([Type.Integer({ minimum: 16, maximum: 4320 }), Type.Null()], {
      default: 1080,
      description:
        'A higher video is scaled down to this (an odd height to one line less); null leaves the size alone.',
    }),
    fps: frameRate('Frames per second; null keeps them.'),
  },
  closed,
)

export const videoConvert = videoAdapter({
  name: 'video_convert',
  summary: 'Converts a video to another format, size, rate or quality.',
  accepts: ['video'],
  makes: 'video',
  options,
  asks: ({ fps }) => (fps === null ? {} : { fps }),
  video(_graph, streams, step) {
    const { format, crf, preset, max_height: most, fps } = step.options
    const video = pictureOf(streams)
    const height = most === null || video.height <= most ? video.height : most - (most % 2)
    const sized = height === video.height ? video : scaled(video, even((video.width * height) / video.height), height)
    return {
      video: written(fps === null ? sized : atRate(sized, exactRate(fps)), { format, crf, preset }),
      audio: streams.audio,
    }
  },
})
