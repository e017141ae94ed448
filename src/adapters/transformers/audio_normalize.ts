// audio_normalize: sound at an even loudness, alone or in a video.
import Type from 'typebox'
import { videoAdapter } from '#engine/adapter.ts'
import { writtenAudio } from '#media/graph/audio-ops.ts'
import { closed } from '../shared/picture-options.ts'
import { levelled, soundOf } from '../shared/video-options.ts'

const options = Type.Object(
  {
    loudness: Type.Number({
      minimum: -40,
      maximum: -5,
      default: -16,
      description: 'Loudness of the whole in LUFS (EBU R128); -14 to -16 is usual on the web, -23 in broadcasting.',
    }),
  },
  closed,
)

export const audioNormalize = videoAdapter({
  name: 'audio_normalize',
  summary: 'Brings sound to a loudness, alone or in a video, whose picture is copied.',
  accepts: ['audio', 'video'],
  makes: 'same',
  options,
  async video(graph, streams, step) {
    const { loudness } = step.options
    const audio = soundOf(streams, 'the recording')
    const made = await levelled(graph, audio, loudness, step)
    return { video: streams.video, audio: audio.encode ? writtenAudio(made, audio.encode) : made }
  },
})
