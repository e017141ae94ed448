// video_fade: from and to a colour, with the sound.
import Type from 'typebox'
import { videoAdapter } from '#engine/adapter.ts'
import { fadedAudio, lasting } from '#media/graph/audio-ops.ts'
import { secondsOf } from '#media/graph/graph.ts'
import { faded } from '#media/graph/video-ops.ts'
import { closed, colour } from '../shared/picture-options.ts'
import { framesFor, pictureOf, secondsOption } from '../shared/video-options.ts'

const options = Type.Object(
  {
    fade_in: secondsOption('Seconds over which the video comes out of the colour.'),
    fade_out: secondsOption('Seconds over which it goes into the colour at its end.'),
    color: colour('The colour.', '#000000'),
    audio: Type.Boolean({ default: true, description: 'Whether the sound fades too.' }),
  },
  closed,
)

export const videoFade = videoAdapter({
  name: 'video_fade',
  summary: 'Fades a video in and out; frames outside of the fades are copied where the video allows it.',
  accepts: ['video'],
  makes: 'video',
  options,
  video(_graph, streams, step) {
    const { fade_in, fade_out, color, audio } = step.options
    const video = pictureOf(streams)
    const length = secondsOf(video)
    if (fade_in + fade_out > length)
      step.warn(
        `The fades take longer (${fade_in + fade_out} s) than the video (${length.toFixed(1)} s), so they overlap.`,
      )
    const [rise, fall] = [fade_in, fade_out].map(seconds => Math.min(video.frames, framesFor(seconds, video.rate)))
    const shown = faded(faded(video, 'in', 0, rise!, color), 'out', video.frames - fall!, fall!, color)
    return {
      video: shown,
      audio:
        audio && streams.audio && fade_in + fade_out > 0
          ? fadedAudio(lasting(streams.audio, length), fade_in, fade_out)
          : streams.audio,
    }
  },
})
