// video_boomerang: a moment forwards and backwards, over and over.
import Type from 'typebox'
import { videoAdapter } from '#engine/adapter.ts'
import { Problem } from '#kit/errors.ts'
import { heldFor, USUAL_RATE } from '#media/file/asked.ts'
import { frameAt } from '#media/file/frame-rate.ts'
import { fadedAudio } from '#media/graph/audio-ops.ts'
import { secondsOf, type VideoStream } from '#media/graph/graph.ts'
import { backwards, cutTo, faster, filter, joined, through } from '#media/graph/video-ops.ts'
import { asset, closed } from '../shared/picture-options.ts'
import { pictureOf, secondsOption, soundLasting } from '../shared/video-options.ts'

const options = Type.Object(
  {
    start: secondsOption('Second at which the moment begins.'),
    duration: Type.Number({
      minimum: 0.2,
      maximum: 10,
      default: 1.5,
      description: 'Seconds the moment lasts in the input.',
    }),
    loops: Type.Integer({ minimum: 1, maximum: 20, default: 3, description: 'How often it goes forth and back.' }),
    speed: Type.Number({
      minimum: 0.25,
      maximum: 4,
      default: 1,
      description: 'How fast: 2 is twice as fast as it was.',
    }),
    audio_file_name: asset('Music under it; left out, it is silent.'),
  },
  closed,
)

const FADE_SECONDS = 0.3

export const videoBoomerang = videoAdapter({
  name: 'video_boomerang',
  summary: 'Plays a moment forwards and backwards, over and over.',
  accepts: ['video'],
  makes: 'video',
  options,
  assets: [{ name: 'audio_file_name', accepts: ['audio', 'video'] }],
  asks: ({ duration, speed }, before) => ({ held: before ? heldFor(before, duration / speed, USUAL_RATE) * 2 : 0 }),
  async video(graph, streams, step) {
    const { start, duration, loops, speed } = step.options
    const input = pictureOf(streams)
    const from = frameAt(start, input.rate)
    if (from + 3 > input.frames)
      throw new Problem(
        'bad_options',
        `start is ${start} s, but the video lasts only ${secondsOf(input).toFixed(1)} s.`,
      )
    const forth = faster(cutTo(input, from, from + Math.max(3, frameAt(duration, input.rate))), speed)
    const cycle = thereAndBack(forth)
    const video = joined(Array.from({ length: loops }, () => cycle))
    const [music] = step.assets('audio_file_name')
    if (!music) return { video, audio: null }
    const sound = await soundLasting(graph, music, 'audio_file_name', secondsOf(video))
    return { video, audio: fadedAudio(sound, 0, FADE_SECONDS) }
  },
})

function thereAndBack(forth: VideoStream): VideoStream {
  // The frames at both ends are shown once, not twice. Of fewer than three nothing is left between them.
  if (forth.frames < 3) return forth
  const back = cutTo(backwards(forth), 1, forth.frames - 1)
  return through([forth, back], [filter('concat', { n: 2, v: 1, a: 0 })], { frames: forth.frames + back.frames })
}
