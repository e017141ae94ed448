// Pieces of option schemas that the video and audio adapters share, and what they all ask of their streams.
import Type from 'typebox'
import type { Remark, Step } from '#engine/adapter.ts'
import { Problem } from '#kit/errors.ts'
import type { MediaFile } from '#media/file/file.ts'
import { frameAt, type Rate } from '#media/file/frame-rate.ts'
import { cutAudio, joinedAudio, LONGEST_REPEATED, repeated } from '#media/graph/audio-ops.ts'
import type { AudioStream, Graph, Streams, VideoStream } from '#media/graph/graph.ts'
import { toLoudness } from '#media/graph/loudness.ts'

const LONGEST = 4 * 3600

export const secondsOption = (description: string, fallback = 0) =>
  Type.Number({ minimum: 0, maximum: LONGEST, default: fallback, description })

export const optionalSeconds = (description: string) =>
  Type.Union([Type.Number({ minimum: 0, maximum: LONGEST }), Type.Null()], { default: null, description })

export const videoSide = (description: string) =>
  Type.Union([Type.Integer({ minimum: 16, maximum: 7680 }), Type.Null()], { default: null, description })

export const frameRate = (description: string) =>
  Type.Union([Type.Number({ minimum: 1, maximum: 120 }), Type.Null()], { default: null, description })

export const videoFit = Type.Enum(['pad', 'cover', 'blur_pad'], {
  default: 'pad',
  description:
    '`pad` shows all of it with bars in the background colour, `cover` fills the frame and cuts off what is over, `blur_pad` puts a blurred copy of it behind.',
})

export const volume = (description: string) => Type.Number({ minimum: 0, maximum: 8, default: 1, description })

/** The picture of what came in; entries that accept videos only always have one. */
export function pictureOf({ video }: Streams): VideoStream {
  if (!video) throw new Problem('unsupported_format', 'There is no picture in the recording; this step needs one.')
  return video
}

export function soundOf({ audio }: Streams, what: string): AudioStream {
  if (!audio) throw new Problem('unsupported_format', `There is no sound in ${what}.`)
  return audio
}

/** The one file of an asset parameter that must be given. */
export function requiredAsset(step: Step<object>, parameter: string): MediaFile {
  const [file] = step.assets(parameter)
  if (!file) throw new Problem('asset_missing', `The step needs an asset: set ${parameter} to the name of one.`)
  return file
}

/** A window in seconds as frames of a stream. */
/** What of `start` and `end` leaves nothing, whatever the video. */
export const windowRemarks = ({ start, end }: { start: number; end: number | null }): Remark[] =>
  end === null || end > start
    ? []
    : [{ kind: 'wrong', field: 'end', message: `must come after start (${start} s), not at ${end} s` }]

export function windowOf(start: number, end: number | null, video: VideoStream): { from: number; to: number } {
  if (end !== null && end <= start)
    throw new Problem('bad_options', `end (${end} s) must come after start (${start} s).`)
  return {
    from: frameAt(start, video.rate),
    to: end === null ? video.frames : Math.min(video.frames, frameAt(end, video.rate)),
  }
}

export const framesFor = (seconds: number, rate: Rate): number => Math.max(0, frameAt(seconds, rate))

/** The sound of an asset as long as wanted: cut off, or started over where it is shorter. */
export async function soundLasting(
  graph: Graph,
  file: MediaFile,
  parameter: string,
  seconds: number,
  { trimStart = 0, loop = true } = {},
): Promise<AudioStream> {
  const once = async (): Promise<AudioStream> => {
    const whole = soundOf(await graph.open(file, parameter), `the asset of ${parameter}`)
    return cutAudio(whole, trimStart, whole.seconds)
  }
  const played = await once()
  if (!loop || played.seconds >= seconds) return cutAudio(played, 0, seconds)
  if (played.seconds <= LONGEST_REPEATED) return cutAudio(repeated(played), 0, seconds)
  // Each round is read from the file for itself, so that no round is held in memory.
  const rounds = [played]
  while (rounds.length * played.seconds < seconds) rounds.push(await once())
  return cutAudio(joinedAudio(rounds), 0, seconds)
}

const OFF = 1

/** Sound at a loudness, told as it was and where it could not be reached; null leaves it as it is. */
export async function levelled(
  graph: Graph,
  audio: AudioStream,
  target: number | null,
  step: Step<object>,
): Promise<AudioStream> {
  if (target === null) return audio
  const measured = await graph.loudness(audio)
  if (measured.integrated === Number.NEGATIVE_INFINITY) {
    step.warn(
      measured.peak === Number.NEGATIVE_INFINITY
        ? 'The sound is silent, so it stays as it is.'
        : 'The sound is too short or too quiet for its loudness to be measured, so it stays as it is.',
    )
    return audio
  }
  step.decide(`It was at ${measured.integrated.toFixed(1)} LUFS with peaks at ${measured.peak.toFixed(1)} dBTP.`)
  const { audio: made, integrated } = await toLoudness(audio, target, measured, stream => graph.loudness(stream))
  if (target - integrated > OFF)
    step.warn(
      `The loudness is ${integrated.toFixed(1)} LUFS and not ${target}: its short peaks leave no room for more without distortion.`,
    )
  return made
}
