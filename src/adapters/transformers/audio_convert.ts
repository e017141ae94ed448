// audio_convert: sound in another format, also out of a video.
import Type from 'typebox'
import { videoAdapter } from '#engine/adapter.ts'
import { writtenAudio } from '#media/graph/audio-ops.ts'
import { closed } from '../shared/picture-options.ts'
import { soundOf } from '../shared/video-options.ts'

const options = Type.Object(
  {
    format: Type.Enum(['mp3', 'm4a', 'ogg', 'wav'], {
      default: 'mp3',
      description: '`m4a` holds AAC, `ogg` holds Opus, `wav` is not compressed.',
    }),
    bitrate: Type.Enum(['64k', '96k', '128k', '160k', '192k', '256k', '320k'], {
      default: '192k',
      description: 'Bits per second; plays no part with `wav`.',
    }),
  },
  closed,
)

export const audioConvert = videoAdapter({
  name: 'audio_convert',
  summary: 'Converts sound to another format; of a video it takes the sound.',
  accepts: ['audio', 'video'],
  makes: 'audio',
  options,
  video(_graph, streams, step) {
    const { format, bitrate } = step.options
    if (streams.video) step.decide('Took the sound of the video.')
    return { video: null, audio: writtenAudio(soundOf(streams, 'the recording'), { format, bitrate }) }
  },
})
