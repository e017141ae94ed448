// video_trim: a part of a video.
import Type from 'typebox'
import { videoAdapter } from '#engine/adapter.ts'
import { Problem } from '#kit/errors.ts'
import { frameAt, timeOf } from '#media/file/frame-rate.ts'
import { cutAudio, lasting } from '#media/graph/audio-ops.ts'
import { type Span, secondsOf } from '#media/graph/graph.ts'
import { cutTo } from '#media/graph/video-ops.ts'
import { closed } from '../shared/picture-options.ts'
import { optionalSeconds, pictureOf, secondsOption, windowRemarks } from '../shared/video-options.ts'

const options = Type.Object(
  {
    start: secondsOption('Second at which the part begins.'),
    end: optionalSeconds('Second at which it ends; null goes to the end.'),
    duration: optionalSeconds('Seconds it lasts, in place of `end`.'),
    exact: Type.Boolean({
      default: true,
      description:
        'Whether it begins and ends at the very frame. Otherwise at the key frames around it, without encoding anything where the video allows that.',
    }),
  },
  closed,
)

export const videoTrim = videoAdapter({
  name: 'video_trim',
  summary: 'Cuts a part out of a video; only the groups of pictures at the cuts are encoded anew.',
  accepts: ['video'],
  makes: 'video',
  options,
  review({ start, end, duration }) {
    if (end !== null && duration !== null)
      return [
        {
          kind: 'wrong',
          field: 'duration',
          message: `must be left out where end is set (${end} s): it stands in its place`,
        },
      ]
    if (duration === 0) return [{ kind: 'wrong', field: 'duration', message: 'must be above 0 s' }]
    return windowRemarks({ start, end })
  },
  async video(graph, streams, step) {
    const { start, end, duration, exact } = step.options
    const video = pictureOf(streams)
    if (end !== null && duration !== null) throw new Problem('bad_options', 'Set `end` or `duration`, not both.')
    const stop = end ?? (duration === null ? null : start + duration)
    if (stop !== null && stop <= start)
      throw new Problem('bad_options', `The part would end (${stop} s) before it begins (${start} s).`)
    const from = frameAt(start, video.rate)
    if (from >= video.frames)
      throw new Problem(
        'bad_options',
        `start is ${start} s, but the video lasts only ${secondsOf(video).toFixed(1)} s.`,
      )
    if (stop !== null && frameAt(stop, video.rate) > video.frames)
      step.warn(`The video ends at ${secondsOf(video).toFixed(1)} s, before the part does.`)
    const wanted: Span = {
      from,
      to: stop === null ? video.frames : Math.min(video.frames, Math.max(from + 1, frameAt(stop, video.rate))),
    }
    const span = exact ? wanted : around(wanted, await graph.keyFrames(video))
    if (!exact && span === wanted)
      step.decide('The video has no key frames that it could be copied between, so the cut is exact.')
    const [first, last] = [timeOf(span.from, video.rate), timeOf(span.to, video.rate)]
    return {
      video: cutTo(video, span.from, span.to),
      audio: streams.audio && lasting(cutAudio(streams.audio, first, last), last - first),
    }
  },
})

function around(span: Span, keys: readonly number[] | null): Span {
  if (!keys) return span
  return { from: keys.findLast(key => key <= span.from) ?? 0, to: keys.find(key => key >= span.to) ?? span.to }
}
