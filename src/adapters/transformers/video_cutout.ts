// video_cutout: people of a video without the background they stood before, in front of another one.
import Type, { type Static } from 'typebox'
import { type FileStep, videoAdapter } from '#engine/adapter.ts'
import { Problem } from '#kit/errors.ts'
import type { Graph, VideoStream } from '#media/graph/graph.ts'
import { masked } from '#media/graph/overlay-ops.ts'
import {
  atRate,
  cutTo,
  filter,
  laidOver,
  lastingFrames,
  plane,
  previewSize,
  scaled,
  stillStream,
  through,
} from '#media/graph/video-ops.ts'
import { type Colour, parseColour } from '#media/pixels/colour.ts'
import { withAlpha } from '#media/pixels/pixels.ts'
import { counted } from '#vision/crop-to-faces.ts'
import { cutFrames, cutRate, LONGEST_SECONDS } from '#vision/cut-frames.ts'
import { gradientGround } from '#vision/grounds.ts'
import { cutoutOptions, goesOn, lookOf } from '../shared/cutout-options.ts'
import { asset, closed } from '../shared/picture-options.ts'
import { videoBackground } from '../shared/video-background.ts'
import { pictureOf } from '../shared/video-options.ts'

const options = Type.Object(
  {
    background: Type.Enum(['asset', 'color', 'gradient', 'blur'], {
      default: 'asset',
      description:
        'What is behind the people: the asset of `background_file_name` (`color` where none is named), `color`, a gradient from `color` to `color_to`, or the old background blurred.',
    }),
    background_file_name: asset(
      'Asset behind the people: a picture or a video, which starts over when it is shorter. Left out, `color` is.',
    ),
    ...cutoutOptions('video', 0),
  },
  closed,
)

type Options = Static<typeof options>

export const videoCutout = videoAdapter({
  name: 'video_cutout',
  summary:
    'Takes the background away from behind people in a video, without a green screen, and puts another in its place (beta).',
  accepts: ['video'],
  makes: 'video',
  options,
  assets: [{ name: 'background_file_name', accepts: ['image', 'video'] }],
  looksForPeople: () => true,
  async video(graph, streams, step) {
    const video = pictureOf(streams)
    const rate = cutRate(video)
    if (!rate)
      throw new Problem('too_long', `People are cut out of videos of at most ${LONGEST_SECONDS} s; trim it before.`)
    const { background, blur } = step.options
    const look = { ...lookOf(step.options), blur: background === 'blur' ? blur / 100 : null }
    const cut = await cutFrames(graph, video, rate, look, fraction => step.progress(0.2 + fraction * 0.4))
    step.saw(video, cut.faces)
    if (cut.doubt === null) step.decide(`Cut out people, with ${counted(cut.faces.length)} at once at most.`)
    else if (!goesOn(cut.doubt, 'video', step)) return streams
    const ground = cut.ground ? sizedGround(cut.ground, video) : await groundOf(graph, video, step)
    const shaded = cut.shadow ? laidOver(ground, masked(lasting('#000000', video), cut.shadow), 0, 0) : ground
    const composed = laidOver(shaded, masked(video, cut.people), 0, 0)
    return {
      video: cut.wrap ? laidOver(composed, masked(softened(ground), cut.wrap), 0, 0) : composed,
      audio: streams.audio,
    }
  },
})

const lasting = (colour: string, { width, height, rate, frames }: VideoStream): VideoStream =>
  cutTo(plane(colour, width, height, rate), 0, frames)

const sizedGround = (ground: VideoStream, { width, height, rate, frames }: VideoStream): VideoStream =>
  scaled(lastingFrames(atRate(ground, rate), frames), width, height)

async function groundOf(graph: Graph, video: VideoStream, step: FileStep<Options>): Promise<VideoStream> {
  const { background, color, color_to, angle, fit } = step.options
  const [file] = step.assets('background_file_name')
  if (background === 'asset' && file) return videoBackground(graph, file, video, fit)
  if (background !== 'gradient') return lasting(color, video)
  const pixels = withAlpha(gradientGround(video, opaque(color), opaque(color_to), angle))
  const { parts } = await graph.drawn(pixels, 'gradient', video.rate)
  return cutTo(stillStream(parts[0]!), 0, video.frames)
}

/** A video cannot let through. */
function opaque(color: string): Colour {
  const [r, g, b] = parseColour(color)
  return [r, g, b, 255]
}

/** The longest side at which light is blurred: it costs a fraction there and looks the same. */
const LIGHT = 160

function softened(ground: VideoStream): VideoStream {
  const small = previewSize(ground, LIGHT)
  const light = through([scaled(ground, small.width, small.height)], [filter('gblur', { sigma: 3 })])
  return scaled(light, ground.width, ground.height)
}
