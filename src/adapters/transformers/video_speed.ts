// video_speed: slow motion and time lapse.
import Type from 'typebox'
import { videoAdapter } from '#engine/adapter.ts'
import { atTempo, lasting } from '#media/graph/audio-ops.ts'
import { type AudioStream, secondsOf } from '#media/graph/graph.ts'
import { faster } from '#media/graph/video-ops.ts'
import { closed } from '../shared/picture-options.ts'
import { pictureOf } from '../shared/video-options.ts'

const options = Type.Object(
  {
    factor: Type.Number({
      minimum: 0.1,
      maximum: 16,
      default: 0.5,
      description: 'Speed: 0.5 takes twice as long, 2 half as long.',
    }),
    audio: Type.Enum(['keep', 'mute', 'stretch'], {
      default: 'mute',
      description:
        '`mute` leaves the sound out, `stretch` plays it at the new speed with its own pitch, `keep` plays it as it was, cut off or followed by silence.',
    }),
  },
  closed,
)

export const videoSpeed = videoAdapter({
  name: 'video_speed',
  summary: 'Plays a video slower or faster.',
  accepts: ['video'],
  makes: 'video',
  options,
  video(_graph, streams, step) {
    const { factor, audio } = step.options
    if (factor === 1) return { video: pictureOf(streams), audio: audio === 'mute' ? null : streams.audio }
    const video = faster(pictureOf(streams), factor)
    const sound = (own: AudioStream): AudioStream =>
      lasting(audio === 'stretch' ? atTempo(own, factor) : own, secondsOf(video))
    return { video, audio: audio === 'mute' || !streams.audio ? null : sound(streams.audio) }
  },
})
