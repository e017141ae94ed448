// video_add_audio: music or a voice under a video, instead of its own sound or together with it.
import Type from 'typebox'
import { videoAdapter } from '#engine/adapter.ts'
import { Problem } from '#kit/errors.ts'
import { frameAt, timeOf } from '#media/file/frame-rate.ts'
import { delayed, ducked, fadedAudio, lasting, limited, louder, mixed, silence } from '#media/graph/audio-ops.ts'
import { secondsOf } from '#media/graph/graph.ts'
import { lastingFrames } from '#media/graph/video-ops.ts'
import { asset, closed } from '../shared/picture-options.ts'
import {
  levelled,
  pictureOf,
  requiredAsset,
  secondsOption,
  soundLasting,
  soundOf,
  volume,
} from '../shared/video-options.ts'

const options = Type.Object(
  {
    audio_file_name: asset('The sound: an audio asset, or a video whose sound is taken.'),
    mode: Type.Enum(['replace', 'mix'], {
      default: 'replace',
      description: '`replace` takes the place of the video’s own sound, `mix` plays together with it.',
    }),
    volume: volume('Volume of the added sound; 1 leaves it as it is, 0.5 halves it.'),
    original_volume: volume('Volume of the video’s own sound with `mix`.'),
    start: secondsOption('Second of the video at which the added sound begins.'),
    trim_start: secondsOption('Seconds left out at the beginning of the added sound.'),
    fade_in: secondsOption('Seconds over which the added sound comes up.'),
    fade_out: secondsOption('Seconds over which the added sound goes away at its end.', 0.5),
    loop: Type.Boolean({
      default: true,
      description: 'Whether sound that is shorter than the video starts over. Otherwise silence follows.',
    }),
    length: Type.Enum(['video', 'audio', 'longest'], {
      default: 'video',
      description:
        'What decides the length. A video that is too short holds its last frame, one that is too long is cut off.',
    }),
    duck: Type.Boolean({
      default: false,
      description: 'With `mix`: the added sound steps back while the video’s own sound is heard.',
    }),
    loudness: Type.Union([Type.Number({ minimum: -40, maximum: -5 }), Type.Null()], {
      default: null,
      description: 'Loudness of the result in LUFS; -14 to -16 is usual on the web. Null leaves it as it comes.',
    }),
  },
  closed,
)

export const videoAddAudio = videoAdapter({
  name: 'video_add_audio',
  summary: 'Puts music or a voice under a video. The picture is never encoded anew when its frames do not change.',
  accepts: ['video'],
  makes: 'video',
  options,
  assets: [{ name: 'audio_file_name', accepts: ['audio', 'video'] }],
  oneOf: ['audio_file_name'],
  async video(graph, streams, step) {
    const { mode, start, trim_start, length, loop, fade_in, fade_out, duck, loudness, ...set } = step.options
    const video = pictureOf(streams)
    const file = requiredAsset(step, 'audio_file_name')
    const once = soundOf(await graph.open(file, 'audio_file_name'), 'the asset of audio_file_name')
    if (trim_start >= once.seconds)
      throw new Problem(
        'bad_options',
        `trim_start is ${trim_start} s, but the added sound lasts only ${once.seconds.toFixed(1)} s.`,
      )
    const own = start + once.seconds - trim_start
    const wanted = length === 'video' ? secondsOf(video) : length === 'audio' ? own : Math.max(own, secondsOf(video))
    const frames = Math.max(1, frameAt(wanted, video.rate))
    const seconds = timeOf(frames, video.rate)
    // Frames last as long as they last: less than one is no reason to start over.
    const again = loop && own < seconds - timeOf(1, video.rate)
    if (again) step.decide('The added sound is shorter than the video and starts over.')
    const room = Math.max(0, seconds - start)
    const played = await soundLasting(graph, file, 'audio_file_name', room, { trimStart: trim_start, loop: again })
    if (start >= seconds)
      step.warn(`The added sound would begin at ${start} s, but the result ends at ${seconds.toFixed(1)} s.`)
    const music =
      start >= seconds
        ? silence(seconds)
        : lasting(delayed(fadedAudio(louder(played, set.volume), fade_in, fade_out), start), seconds)
    const original = mode === 'mix' ? streams.audio : null
    if (mode === 'mix' && !original) step.decide('The video has no sound of its own to mix with.')
    const both = original
      ? mixed(
          lasting(louder(original, set.original_volume), seconds),
          duck ? ducked(music, lasting(original, seconds)) : music,
        )
      : set.volume > 1
        ? limited(music)
        : music
    return { video: lastingFrames(video, frames), audio: await levelled(graph, both, loudness, step) }
  },
})
