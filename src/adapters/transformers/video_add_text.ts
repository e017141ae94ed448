// video_add_text: text on a video, for all of it or a while.
import Type from 'typebox'
import { videoAdapter } from '#engine/adapter.ts'
import { secondsOf } from '#media/graph/graph.ts'
import { layPicture } from '#media/graph/overlay-ops.ts'
import { pixelsOf } from '#media/pixels/fit.ts'
import { drawText } from '#media/text/draw-text.ts'
import { asset, closed, length } from '../shared/picture-options.ts'
import { sizeRemarks, textAsks, textBox, textProperties, textStyle } from '../shared/text-options.ts'
import {
  framesFor,
  optionalSeconds,
  pictureOf,
  secondsOption,
  windowOf,
  windowRemarks,
} from '../shared/video-options.ts'

const options = Type.Object(
  {
    text: Type.String({ maxLength: 5_000, description: 'What is written; may hold {{placeholders}} and line breaks.' }),
    x: length('Left edge of the box, in pixels or "50%".', { default: '5%' }),
    y: length('Top edge of the box, in pixels or "50%".', { default: '80%' }),
    width: length('Width of the box, in pixels or "50%".', { default: '90%' }),
    height: length('Height of the box, in pixels or "50%".', { default: '15%' }),
    ...textProperties,
    color: { ...textProperties.color, default: '#ffffff' },
    start: secondsOption('Second at which it appears.'),
    end: optionalSeconds('Second at which it is gone; null keeps it to the end.'),
    fade: secondsOption('Seconds over which it comes and goes.'),
    font_file_name: asset('Asset with a font (.ttf, .otf), in place of `font`.'),
  },
  closed,
)

export const videoAddText = videoAdapter({
  name: 'video_add_text',
  summary:
    'Writes text on a video, for all of it or a while; frames without text are copied where the video allows it.',
  accepts: ['video'],
  makes: 'video',
  options,
  assets: [{ name: 'font_file_name', accepts: ['file'], isFont: true }],
  review: options => [...sizeRemarks(options), ...windowRemarks(options)],
  asks: (options, before) => textAsks(options, before, 'video'),
  async video(graph, streams, step) {
    const { text, x, y, start, end, fade } = step.options
    const video = pictureOf(streams)
    const window = windowOf(start, end, video)
    if (text.trim() === '') return streams
    if (window.from >= video.frames) {
      step.warn(`The text would appear at ${start} s, but the video ends at ${secondsOf(video).toFixed(1)} s.`)
      return streams
    }
    const box = textBox(step.options, video)
    const style = textStyle(step.options, box.height, step.assets('font_file_name')[0] ?? null)
    const { pixels, warnings } = await drawText(text, box, style)
    for (const warning of warnings) step.warn(warning)
    const drawn = await graph.drawn(pixels, 'text', video.rate)
    const place = { x: Math.round(pixelsOf(x, video.width)), y: Math.round(pixelsOf(y, video.height)) }
    const shown = layPicture(video, drawn, { ...place, window, fade: framesFor(fade, video.rate) })
    return { video: shown, audio: streams.audio }
  },
})
