// Makes pictures from a video: one frame as JPEG or PNG, or a few seconds as GIF or WebP below a size limit.
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Problem } from '#kit/errors.ts'
import { pictureFault } from '../file/media-limits.ts'
import { secondsOf, type VideoStream } from '../graph/graph.ts'
import { render } from '../graph/graph-render.ts'
import { toRgb } from '../graph/source-filters.ts'
import { atRate, cutTo, even, filter, scaled, through } from '../graph/video-ops.ts'
import { reading, vips } from '../pixels/vips.ts'
import { asTold, type FfmpegCommand, runFfmpeg } from '../process/ffmpeg.ts'
import { videoCodec } from './encode.ts'
import { filtering, type MadeVideo, type MakeJob, outputPath, renderOptions } from './make-job.ts'
import { checkAnimation } from './output-check.ts'

export async function makeFrame(video: VideoStream, job: MakeJob): Promise<MadeVideo> {
  const { encode } = video
  if (encode?.format !== 'jpeg' && encode?.format !== 'png') throw new TypeError('not a picture')
  const rgb = through([cutTo(video, 0, 1)], toRgb())
  const raw = join(job.folder, 'frame')
  const command = commandOf(rgb, videoCodec(video, encode, job.threads), raw, job)
  await runFfmpeg(command, { ...job, seconds: secondsOf(rgb), pixels: (video.width * video.height) / ENCODER_FRAMES })
  if (!(await stat(raw).catch(() => null)))
    throw new Problem('corrupt_input', 'There is no frame at that place of the video.')
  const path = outputPath(job, encode.format)
  const pipeline = vips(raw).extract({ left: 0, top: 0, ...encode.size })
  await reading(() =>
    (encode.format === 'jpeg' ? pipeline.jpeg({ quality: encode.quality }) : pipeline.png()).toFile(path),
  )
  return { path, container: encode.format, plan: 'encode', command: asTold(command) }
}

/** Only one frame is in memory here, while the memory formula of `runFfmpeg` counts the many frames of a video encoder. */
const ENCODER_FRAMES = 8

/** Each attempt is smaller than the one before: first fewer colours, then a lower rate and width. */
const attempts = [
  { width: 1, rate: 1, colours: 256, quality: 75 },
  { width: 1, rate: 1, colours: 128, quality: 60 },
  { width: 0.85, rate: 1, colours: 128, quality: 55 },
  { width: 0.75, rate: 0.8, colours: 96, quality: 50 },
  { width: 0.6, rate: 0.7, colours: 64, quality: 45 },
  { width: 0.5, rate: 0.6, colours: 64, quality: 40 },
  { width: 0.35, rate: 0.5, colours: 48, quality: 35 },
  { width: 0.25, rate: 0.5, colours: 32, quality: 30 },
]

const pixelsOf = ({ width, rate }: (typeof attempts)[number]): number => width * width * rate

/** Factor of tolerance: fewer colours and smoother frames may shrink the file more than the pixel count says. */
const HOPEFUL = 2

export async function makeAnimation(video: VideoStream, job: MakeJob): Promise<MadeVideo> {
  const { encode } = video
  if (encode?.format !== 'gif' && encode?.format !== 'webp') throw new TypeError('not an animation')
  const path = outputPath(job, encode.format)
  let refusal: Problem | null = null
  /** Estimate from the attempts so far. Attempts with more pixels would be too large by far, so they are skipped. */
  let most = Number.POSITIVE_INFINITY
  for (const [i, attempt] of attempts.entries()) {
    const { width, rate, colours, quality } = attempt
    if (pixelsOf(attempt) > most && i < attempts.length - 1) continue
    const smaller = scaled(video, even(video.width * width), even(video.height * width))
    const slower =
      rate === 1 ? smaller : atRate(smaller, { num: Math.round(video.rate.num * rate), den: video.rate.den })
    // We could not read this animation as a picture afterwards. A later attempt with fewer and smaller frames may fit.
    const wrong = pictureFault(slower, job.limits)
    if (wrong) {
      refusal ??= wrong
      continue
    }
    const shown = encode.format === 'gif' ? withPalette(slower, colours) : slower
    const codec =
      encode.format === 'gif'
        ? ['-c:v', 'gif', '-loop', '0']
        : ['-c:v', 'libwebp_anim', '-loop', '0', '-quality', String(quality), '-compression_level', '4']
    const command = commandOf(shown, [...codec, '-f', encode.format], path, job)
    await runFfmpeg(command, {
      ...job,
      seconds: secondsOf(shown),
      pixels: video.width * video.height,
      extraBytes: shown.frames * shown.width * shown.height * 4,
      // Stays below 100 %, because another attempt may follow.
      onProgress: fraction => job.onProgress(fraction * 0.9),
    })
    await checkAnimation(path, `image/${encode.format}`, secondsOf(shown))
    const { size } = await stat(path)
    if (size <= encode.maxBytes) {
      if (i > 0)
        job.decide(
          `Made it smaller to stay ${refusal ? 'within the limits' : `under ${encode.maxBytes} bytes`}: ${smaller.width} × ${smaller.height} pixels.`,
        )
      return { path, container: encode.format, plan: 'encode', command: asTold(command) }
    }
    most = (pixelsOf(attempt) * encode.maxBytes * HOPEFUL) / size
    await rm(path)
  }
  if (refusal) throw refusal
  throw new Problem(
    'output_too_large',
    `Even at a quarter of its size the animation has more than the ${encode.maxBytes} bytes that max_bytes allows; a shorter part would fit.`,
  )
}

/** Makes the palette from the same frames. Only the rectangle that changes is written again for each frame. */
function withPalette(video: VideoStream, colours: number): VideoStream {
  const rgb = through([video], toRgb())
  const palette = through([rgb], [filter('palettegen', { max_colors: colours, stats_mode: 'diff' })])
  return through(
    [rgb, palette],
    [filter('paletteuse', { dither: 'bayer', bayer_scale: 4, diff_mode: 'rectangle' })],
    {},
    { held: video.frames },
  )
}

function commandOf(video: VideoStream, codec: readonly string[], output: string, job: MakeJob): FfmpegCommand {
  const { inputs, filters, video: pad } = render({ video, audio: null }, renderOptions(job))
  return {
    inputs,
    options: [...filtering(filters, job.threads), '-map', pad!, '-an', '-map_metadata', '-1', ...codec],
    output,
  }
}
