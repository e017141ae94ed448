// video_add_overlay: a logo, a frame or an animation with transparency over a video.
import Type from 'typebox'
import { videoAdapter } from '#engine/adapter.ts'
import { Problem } from '#kit/errors.ts'
import { STILL_BYTES, stillSize } from '#media/file/asked.ts'
import type { MediaFile } from '#media/file/file.ts'
import { timeOf } from '#media/file/frame-rate.ts'
import { delayed, lasting, mixed } from '#media/graph/audio-ops.ts'
import { type AudioStream, type Graph, secondsOf, type VideoStream } from '#media/graph/graph.ts'
import { layPicture, layVideo, type Place, translucent } from '#media/graph/overlay-ops.ts'
import { atRate, even, scaled } from '#media/graph/video-ops.ts'
import { assetSize } from '#media/picture/layer-cache.ts'
import { fitted, placed } from '#media/pixels/fit.ts'
import { asset, closed, opacity, position } from '../shared/picture-options.ts'
import {
  framesFor,
  optionalSeconds,
  pictureOf,
  secondsOption,
  soundOf,
  windowOf,
  windowRemarks,
} from '../shared/video-options.ts'

const options = Type.Object(
  {
    overlay_file_name: asset('What is laid over the video: PNG, WebP, SVG, GIF, or a WebM or MOV with transparency.'),
    overlay_portrait_file_name: asset(
      'What is laid over videos that are higher than wide; left out, the same as over all others.',
    ),
    fit: Type.Enum(['contain', 'cover', 'stretch', 'none'], {
      default: 'contain',
      description:
        '`contain` makes it as large as the frame allows, `cover` fills the frame, `stretch` ignores its shape, `none` keeps its own size in pixels.',
    }),
    position: position('Where it lies.'),
    x: Type.Number({
      minimum: -10_000,
      maximum: 10_000,
      default: 0,
      description: 'Pixels to the right of that position.',
    }),
    y: Type.Number({ minimum: -10_000, maximum: 10_000, default: 0, description: 'Pixels below that position.' }),
    scale: Type.Number({ minimum: 0.01, maximum: 10, default: 1, description: 'Size after fitting: 0.2 is a fifth.' }),
    opacity,
    start: secondsOption('Second at which it appears.'),
    end: optionalSeconds('Second at which it is gone; null keeps it to the end.'),
    fade: secondsOption('Seconds over which it comes and goes.'),
    loop: Type.Boolean({
      default: true,
      description: 'Whether a moving overlay starts over; otherwise it is gone after its end.',
    }),
    overlay_audio: Type.Enum(['ignore', 'mix'], {
      default: 'ignore',
      description: 'Whether the sound of a video overlay is heard too.',
    }),
  },
  closed,
)

type Options = Type.Static<typeof options>

export const videoAddOverlay = videoAdapter({
  name: 'video_add_overlay',
  summary:
    'Lays a picture, an animation or a transparent video over a video; the video decides the length, its sound is copied.',
  accepts: ['video'],
  makes: 'video',
  options,
  assets: [
    { name: 'overlay_file_name', accepts: ['image', 'video'] },
    { name: 'overlay_portrait_file_name', accepts: ['image', 'video'] },
  ],
  oneOf: ['overlay_file_name', 'overlay_portrait_file_name'],
  review: options => windowRemarks(options),
  asks({ fit, scale }, before, assets) {
    if (!before) return {}
    const [usual] = assets('overlay_file_name')
    const [upright] = assets('overlay_portrait_file_name')
    const file = before.height > before.width ? (upright ?? usual) : usual
    if (file?.medium !== 'image' || file.width === null) return {}
    const { width, height } = fitted(assetSize(file), before, fit)
    const field = scale === 1 ? 'overlay_file_name' : 'scale'
    const shown = { width: Math.ceil(width * scale), height: Math.ceil(height * scale) }
    const frames = file.frames ?? 1
    return { bitmaps: [{ ...stillSize(assetSize(file), shown, frames), field, perPixel: STILL_BYTES, frames }] }
  },
  async video(graph, streams, step) {
    const video = pictureOf(streams)
    const [portrait] = step.assets('overlay_portrait_file_name')
    const upright = video.height > video.width && portrait !== undefined
    const [file] = upright ? [portrait] : step.assets('overlay_file_name')
    if (!file) throw new Problem('asset_missing', 'The step needs an asset: set overlay_file_name to the name of one.')
    if (upright) step.decide('The video is higher than wide, so the overlay for upright videos is used.')
    const parameter = upright ? 'overlay_portrait_file_name' : 'overlay_file_name'
    const window = windowOf(step.options.start, step.options.end, video)
    if (window.from >= video.frames) {
      step.warn(
        `The overlay would begin at ${step.options.start} s, but the video ends at ${secondsOf(video).toFixed(1)} s.`,
      )
      return { video, audio: streams.audio }
    }
    const place = { window, fade: framesFor(step.options.fade, video.rate) }
    if (file.medium === 'image')
      return { video: await picture(graph, video, file, parameter, step.options, place), audio: streams.audio }
    return moving(graph, video, streams.audio, file, parameter, step.options, place)
  },
})

type When = Pick<Place, 'window' | 'fade'>

async function picture(
  graph: Graph,
  video: VideoStream,
  file: MediaFile,
  parameter: string,
  set: Options,
  when: When,
): Promise<VideoStream> {
  const { fit, scale, opacity } = set
  const still = await graph.still(file, parameter, {
    width: video.width,
    height: video.height,
    fit,
    scale,
    opacity,
    rate: video.rate,
  })
  const [part] = still.parts
  const once = !set.loop && part && part.delays.length > 1
  const frames = once
    ? framesFor(
        part.delays.reduce((sum, delay) => sum + delay, 0),
        video.rate,
      )
    : Number.POSITIVE_INFINITY
  const window = { from: when.window.from, to: Math.min(when.window.to, when.window.from + frames) }
  return layPicture(video, still, { ...when, window, ...placeOf(still, video, set) })
}

async function moving(
  graph: Graph,
  video: VideoStream,
  audio: AudioStream | null,
  file: MediaFile,
  parameter: string,
  set: Options,
  when: When,
) {
  const shown = await graph.open(file, parameter, { loop: set.loop })
  if (!shown.video)
    throw new Problem('unsupported_format', `The asset of ${parameter} is sound only; a picture or a video is needed.`)
  const size = fitted(shown.video, video, set.fit)
  const sized = scaled(shown.video, even(size.width * set.scale), even(size.height * set.scale))
  const top = translucent(atRate(sized, video.rate), set.opacity)
  const window = { from: when.window.from, to: Math.min(when.window.to, when.window.from + top.frames) }
  const laid = layVideo(video, top, { ...when, window, ...placeOf(top, video, set) })
  if (set.overlay_audio === 'ignore') return { video: laid, audio }
  const seconds = timeOf(window.to - window.from, video.rate)
  const sound = delayed(lasting(soundOf(shown, `the asset of ${parameter}`), seconds), timeOf(window.from, video.rate))
  return {
    video: laid,
    audio: audio ? mixed(lasting(audio, secondsOf(video)), sound) : lasting(sound, secondsOf(video)),
  }
}

function placeOf(
  size: { width: number; height: number },
  video: VideoStream,
  { position, x, y }: Options,
): { x: number; y: number } {
  const { left, top } = placed(size, video, position)
  return { x: Math.round(left + x), y: Math.round(top + y) }
}
