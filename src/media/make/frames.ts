// Frames that leave the graph to be looked at, and frames that steps have made and put into it: raw pixels in files.
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Problem } from '#kit/errors.ts'
import type { Rate } from '../file/frame-rate.ts'
import type { Size } from '../file/geometry.ts'
import { type FrameWriter, secondsOf, type VideoStream } from '../graph/graph.ts'
import { graphFault, heldBytes } from '../graph/graph-check.ts'
import { render } from '../graph/graph-render.ts'
import { toRgb } from '../graph/source-filters.ts'
import { atRate, scaled, through } from '../graph/video-ops.ts'
import type { Pixels } from '../pixels/pixels.ts'
import { runFfmpeg } from '../process/ffmpeg.ts'
import { filtering, type MakeJob, renderOptions } from './make-job.ts'

/** Approximate share of the total time that looking takes. */
const LOOKING = 0.2

let made = 0

export async function* lookAtFrames(
  video: VideoStream,
  size: Size,
  rate: Rate,
  job: MakeJob,
): AsyncGenerator<Pixels, void> {
  if (!Number.isFinite(video.frames)) throw new Problem('internal', 'Something endless cannot be looked at.')
  const fault = graphFault({ video, audio: null }, job.limits)
  if (fault) throw fault
  const small = through([scaled(atRate(video, rate), size.width, size.height)], toRgb())
  const { inputs, filters, video: pad } = render({ video: small, audio: null }, renderOptions(job))
  const path = join(job.folder, `frames-${++made}`)
  const options = [...filtering(filters, job.threads), '-map', pad!, '-f', 'rawvideo']
  const seconds = secondsOf(video)
  const pixels = video.width * video.height
  const onProgress = (fraction: number): void => job.onProgress(fraction * LOOKING)
  try {
    await runFfmpeg(
      { inputs, options, output: path },
      { ...job, seconds, pixels, extraBytes: heldBytes(video), onProgress },
    )
    yield* framesIn(path, size)
  } finally {
    await rm(path, { force: true })
  }
}

async function* framesIn(path: string, { width, height }: Size): AsyncGenerator<Pixels, void> {
  const file = await open(path)
  try {
    for (;;) {
      const data = Buffer.allocUnsafe(width * height * 3)
      if (!(await isFilled(file, data))) return
      yield { data, width, height, channels: 3, depth: 8 }
    }
  } finally {
    await file.close()
  }
}

async function isFilled(file: FileHandle, data: Buffer): Promise<boolean> {
  for (let at = 0; at < data.length; ) {
    const { bytesRead } = await file.read(data, at, data.length - at)
    if (bytesRead === 0) return false
    at += bytesRead
  }
  return true
}

export async function newFrameWriter(
  { width, height }: Size,
  channels: 1 | 3,
  rate: Rate,
  label: string,
  { folder }: Pick<MakeJob, 'folder'>,
): Promise<FrameWriter> {
  const path = join(folder, `made-${++made}`)
  const file = await open(path, 'wx')
  let frames = 0
  return {
    async write(frame) {
      if (frame.length !== width * height * channels) throw new TypeError('a frame of another size')
      await file.writeFile(frame)
      frames++
    },
    async end() {
      await file.close()
      return {
        origin: { kind: 'made', path, label, channels },
        width,
        height,
        rate,
        frames,
        alpha: false,
        encode: null,
      }
    },
  }
}
