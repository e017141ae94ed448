// Checks that a result is as long as planned, because ffmpeg decodes a truncated file without an error.
import { Problem } from '#kit/errors.ts'
import type { MediaFile } from '../file/file.ts'
import { perSecond } from '../file/frame-rate.ts'
import type { Tools } from '../file/media-limits.ts'
import { type Streams, secondsOf } from '../graph/graph.ts'
import { readHeader } from '../picture/picture-header.ts'
import { probeVideo } from '../probe/video-probe.ts'

const AUDIO_LEEWAY = 0.25
const AUDIO_SHARE = 0.02
/** Copied packets of a variable rate may end earlier or later than planned. */
const COPY_LEEWAY = 0.2
/** GIF and WebP round frame times to hundredths of a second, and the last frame may have any length. */
const ANIMATION_LEEWAY = 0.3

export async function checkOutput(
  file: Pick<MediaFile, 'path' | 'mime'>,
  { video, audio }: Streams,
  tools: Tools,
): Promise<void> {
  const probe = await probeVideo(file, tools)
  if (video) {
    if (!probe.video) throw new Problem('corrupt_input', 'No frame of the video could be read.')
    const copied = video.origin.kind === 'source' ? video.origin.source.probe.video : null
    const planned = secondsOf(video)
    // A picture may begin after the sound. Copied, it keeps its own length; encoded, it begins together with the sound.
    const shortest = copied ? Math.min(planned, copied.end - copied.start) : planned
    const got = probe.video.end - probe.video.start
    const leeway = copied && !copied.constant ? COPY_LEEWAY : 1.5 / perSecond(video.rate)
    if (got < shortest - leeway) throw endsEarly('video', got, shortest)
    if (got > Math.max(planned, shortest) + leeway)
      throw new Problem(
        'corrupt_input',
        `The video says that it lasts ${planned.toFixed(2)} s, but ${got.toFixed(2)} s could be read.`,
      )
  }
  if (audio) {
    if (!probe.audio) throw new Problem('corrupt_input', 'No sound of the recording could be read.')
    const got = probe.audio.end - probe.audio.start
    // Copied sound that begins after the picture is shorter by that delay.
    const copied = audio.origin.kind === 'source' && !audio.origin.loop ? audio.origin.source.probe.audio : null
    const planned = copied ? Math.min(audio.seconds, copied.end - copied.start) : audio.seconds
    if (got < planned - Math.max(AUDIO_LEEWAY, planned * AUDIO_SHARE))
      throw endsEarly(video ? 'sound' : 'recording', got, planned)
  }
}

/** Checks the length of a GIF or WebP made from a video. */
export async function checkAnimation(path: string, mime: string, planned: number): Promise<void> {
  const { seconds } = await readHeader(path, mime)
  const got = seconds ?? 0
  if (planned > ANIMATION_LEEWAY && got < planned - Math.max(ANIMATION_LEEWAY, planned * AUDIO_SHARE))
    throw endsEarly('video', got, planned)
}

const endsEarly = (what: string, got: number, planned: number): Problem =>
  new Problem('corrupt_input', `The ${what} ends early: ${got.toFixed(1)} s of ${planned.toFixed(1)} s could be read.`)
