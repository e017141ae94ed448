// video_join: intro, the guest's video, further clips and an outro as one video, however much they differ.
import Type from 'typebox'
import { type FileStep, videoAdapter } from '#engine/adapter.ts'
import { Problem } from '#kit/errors.ts'
import type { MediaFile } from '#media/file/file.ts'
import { exactRate, type Rate, usualRate } from '#media/file/frame-rate.ts'
import { crossfadedAudio, exactlyLasting, fadedAudio, joinedAudio, lasting, silence } from '#media/graph/audio-ops.ts'
import { type AudioStream, type Graph, type Streams, secondsOf, type VideoStream } from '#media/graph/graph.ts'
import {
  atRate,
  crossfaded,
  cutTo,
  even,
  type Frame,
  faded,
  fitted,
  joined,
  stillStream,
} from '#media/graph/video-ops.ts'
import { asset, closed, colour } from '../shared/picture-options.ts'
import { frameRate, framesFor, pictureOf, videoFit, videoSide } from '../shared/video-options.ts'

const parts = ['intro', 'input', 'clips', 'outro'] as const

const options = Type.Object(
  {
    intro_file_name: asset('What comes first: a video or a picture.'),
    outro_file_name: asset('What comes last: a video or a picture.'),
    clip_file_names: Type.Array(Type.String({ maxLength: 128 }), {
      default: [],
      maxItems: 32,
      description: 'Further clips, videos or pictures, in their order.',
    }),
    order: Type.Array(Type.Enum([...parts]), {
      default: [...parts],
      minItems: 1,
      maxItems: 4,
      uniqueItems: true,
      description: 'The order of the parts; one that is left out is not shown.',
    }),
    width: videoSide('Width of the result; left out, it is the input’s or follows from the height.'),
    height: videoSide('Height of the result; left out, it is the input’s or follows from the width.'),
    fps: frameRate('Frames per second of the result; left out, the input’s, rounded to a usual rate.'),
    fit: videoFit,
    background: colour('Colour of the bars with `pad`.', '#000000'),
    transition: Type.Enum(['none', 'crossfade', 'fade_to_black'], {
      default: 'none',
      description: 'How one part goes over into the next.',
    }),
    transition_duration: Type.Number({
      minimum: 0.04,
      maximum: 10,
      default: 0.5,
      description: 'Seconds a transition lasts.',
    }),
    still_duration: Type.Number({ minimum: 0.1, maximum: 600, default: 3, description: 'Seconds a picture is shown.' }),
    audio: Type.Enum(['keep', 'none'], {
      default: 'keep',
      description: '`keep` joins the sound too, with silence for parts that have none; `none` leaves it out.',
    }),
  },
  closed,
)

type Options = Type.Static<typeof options>

interface Part {
  name: string
  video: VideoStream
  audio: AudioStream | null
}

export const videoJoin = videoAdapter({
  name: 'video_join',
  summary: 'Joins an intro, the video, further clips and an outro, whatever their sizes, rates and sound.',
  accepts: ['video'],
  makes: 'video',
  options,
  assets: [
    { name: 'intro_file_name', accepts: ['video', 'image'] },
    { name: 'outro_file_name', accepts: ['video', 'image'] },
    { name: 'clip_file_names', accepts: ['video', 'image'], list: true },
  ],
  asks: ({ width, height, fps }) => ({
    ...(width !== null &&
      height !== null && { stages: [{ width: even(width), height: even(height), field: 'width' }] }),
    ...(fps !== null && { fps }),
  }),
  async video(graph, streams, step) {
    const input = pictureOf(streams)
    const frame = frameFor(input, step.options)
    const rate = step.options.fps === null ? usualRate(input.rate.num / input.rate.den) : exactRate(step.options.fps)
    const found: Part[] = []
    for (const name of step.options.order) {
      if (name === 'input') found.push(brought({ name: 'the input', ...streams, video: input }, frame, rate))
      else
        for (const [file, parameter] of filesOf(name, step))
          found.push(await opened(graph, file, parameter, frame, rate, step.options.still_duration))
    }
    if (found.length === 0)
      throw new Problem('asset_missing', 'There is nothing to join: none of the parts in `order` has a file.')
    if (found.length === 1 && found[0]!.name === 'the input')
      step.warn('There is no asset to join with, so only the input is shown.')
    const sounds = step.options.audio === 'keep' && found.some(({ audio }) => audio !== null)
    for (const { name, audio } of found)
      if (sounds && !audio) step.decide(`Added silence to ${name}, which has no sound.`)
    return together(found, sounds, step.options, rate)
  },
})

const parameters = { intro: 'intro_file_name', outro: 'outro_file_name', clips: 'clip_file_names' } as const

const filesOf = (name: keyof typeof parameters, step: FileStep<Options>): [MediaFile, string][] =>
  step.assets(parameters[name]).map(file => [file, parameters[name]])

function frameFor({ width, height }: VideoStream, set: Options): Frame {
  const wide = set.width ?? (set.height === null ? width : (set.height * width) / height)
  const high = set.height ?? (set.width === null ? height : (set.width * height) / width)
  return { width: even(wide), height: even(high), fit: set.fit, background: set.background }
}

async function opened(
  graph: Graph,
  file: MediaFile,
  parameter: string,
  frame: Frame,
  rate: Rate,
  stillSeconds: number,
): Promise<Part> {
  if (file.medium !== 'image') {
    const { video, audio } = await graph.open(file, parameter)
    if (!video)
      throw new Problem(
        'unsupported_format',
        `The asset of ${parameter} is sound only; a video or a picture is needed to join.`,
      )
    return brought({ name: `the asset of ${parameter}`, video, audio }, frame, rate)
  }
  const { width, height } = frame
  const fit = frame.fit === 'cover' ? 'cover' : 'contain'
  const { parts } = await graph.still(file, parameter, { width, height, fit, background: frame.background, rate })
  const [still] = parts
  if (!still)
    throw new Problem('unsupported_format', `The picture of ${parameter} is empty: every pixel of it is transparent.`)
  const shown = cutTo(fitted(stillStream(still), frame), 0, Math.max(1, framesFor(stillSeconds, rate)))
  return { name: `the picture of ${parameter}`, video: shown, audio: null }
}

const brought = (part: Part, frame: Frame, rate: Rate): Part => ({
  ...part,
  video: fitted(atRate(part.video, rate), frame),
})

function together(
  found: readonly Part[],
  sounds: boolean,
  { transition, transition_duration: duration }: Options,
  rate: Rate,
): Streams {
  const frames = transition === 'none' || found.length === 1 ? 0 : Math.max(1, framesFor(duration, rate))
  for (const [i, { name, video }] of found.entries()) {
    const overlaps = (i > 0 ? 1 : 0) + (i < found.length - 1 ? 1 : 0)
    if (frames > 0 && video.frames <= frames * overlaps) {
      throw new Problem(
        'bad_options',
        `transition_duration (${duration} s) is too long: ${name} lasts ${secondsOf(video).toFixed(1)} s and has ${overlaps === 2 ? 'a transition at both ends' : 'a transition'}.`,
      )
    }
  }
  const exact = found.length > 1 ? exactlyLasting : lasting
  const sound = ({ audio, video }: Part): AudioStream => exact(audio ?? silence(secondsOf(video)), secondsOf(video))
  const seconds = (frames * rate.den) / rate.num
  if (transition === 'crossfade' && frames > 0) {
    return {
      video: found.map(({ video }) => video).reduce((before, after) => crossfaded(before, after, frames)),
      audio: sounds ? found.map(sound).reduce((before, after) => crossfadedAudio(before, after, seconds)) : null,
    }
  }
  const half = transition === 'fade_to_black' ? Math.max(1, Math.round(frames / 2)) : 0
  const softened = found.map((part, i) =>
    soften(part, i > 0 ? half : 0, i < found.length - 1 ? half : 0, rate, sound(part)),
  )
  return {
    video: joined(softened.map(({ video }) => video)),
    audio: sounds ? joinedAudio(softened.map(({ audio }) => audio)) : null,
  }
}

function soften(
  { video }: Part,
  before: number,
  after: number,
  rate: Rate,
  audio: AudioStream,
): { video: VideoStream; audio: AudioStream } {
  const shown = faded(faded(video, 'in', 0, before, '#000000'), 'out', video.frames - after, after, '#000000')
  return { video: shown, audio: fadedAudio(audio, (before * rate.den) / rate.num, (after * rate.den) / rate.num) }
}
