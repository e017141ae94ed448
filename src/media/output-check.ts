// A result counts only when it is as long as it was planned: a cut file decodes without a word.
import { Problem } from '#kit/errors.ts'
import type { MediaFile } from './file.ts'
import { type Streams, secondsOf } from './graph.ts'
import type { Tools } from './limits.ts'
import { perSecond } from './rate.ts'
import { probeVideo } from './video-probe.ts'

const AUDIO_LEEWAY = 0.25
const AUDIO_SHARE = 0.02
/** Packets of a rate that varies end when they end. */
const COPY_LEEWAY = 0.2

export async function checkOutput(
  file: Pick<MediaFile, 'path' | 'mime'>,
  { video, audio }: Streams,
  tools: Tools,
): Promise<void> {
  const probe = await probeVideo(file, tools)
  if (video) {
    if (!probe.video) throw new Problem('media_failed', 'The result has no picture.')
    const copied = video.origin.kind === 'source' ? video.origin.source.probe.video : null
    const planned = copied ? copied.end - copied.start : secondsOf(video)
    const got = probe.video.end - probe.video.start
    const leeway = copied && !copied.constant ? COPY_LEEWAY : 1.5 / perSecond(video.rate)
    if (got < planned - leeway) throw endsEarly('video', got, planned)
    if (got > planned + leeway)
      throw new Problem(
        'media_failed',
        `The result lasts ${got.toFixed(2)} s although ${planned.toFixed(2)} s were planned.`,
      )
  }
  if (audio) {
    if (!probe.audio) throw new Problem('media_failed', 'The result has no sound.')
    const got = probe.audio.end - probe.audio.start
    if (got < audio.seconds - Math.max(AUDIO_LEEWAY, audio.seconds * AUDIO_SHARE))
      throw endsEarly(video ? 'sound' : 'recording', got, audio.seconds)
  }
}

const endsEarly = (what: string, got: number, planned: number): Problem =>
  new Problem('corrupt_input', `The ${what} ends early: ${got.toFixed(1)} s of ${planned.toFixed(1)} s could be read.`)
