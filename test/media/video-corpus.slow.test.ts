// Real recordings of other people: all are taken, and what comes out agrees with what is known of them.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { audioConvert } from '#adapters/transformers/audio_convert.ts'
import { audioNormalize } from '#adapters/transformers/audio_normalize.ts'
import { videoAddAudio } from '#adapters/transformers/video_add_audio.ts'
import { videoFlip } from '#adapters/transformers/video_flip.ts'
import { videoTrim } from '#adapters/transformers/video_trim.ts'
import { look, near, opened, run, tone, withFfmpeg } from '../support/videos.ts'

interface Sample {
  file: string
  verdict: 'accept' | 'either' | 'reject'
  expected: {
    display_width?: number
    display_height?: number
    duration_s?: number
    end_s?: number
    video_streams: number
    audio_streams: number
    gps?: boolean
  }
}

const home = join(import.meta.dirname, '../../../shared/media')
const present = existsSync(join(home, 'manifest.json'))
const samples: Sample[] = present
  ? (JSON.parse(readFileSync(join(home, 'manifest.json'), 'utf8')) as { files: Sample[] }).files
  : []
const skip = present ? withFfmpeg.skip : 'the shared media are not here'

const recordings = samples.filter(({ file, verdict }) => /^(videos|audio)\//.test(file) && verdict === 'accept')

describe('recordings of other people', { skip }, () => {
  for (const { file, expected } of recordings) {
    test(`${file} is read as it is and worked on`, async () => {
      const input = await opened(join(home, file))
      const length = expected.end_s ?? expected.duration_s ?? 0
      assert.equal(input.medium, expected.video_streams > 0 ? 'video' : 'audio')
      if (expected.video_streams === 1)
        assert.deepEqual([input.width, input.height], [expected.display_width, expected.display_height])
      if (expected.video_streams < 2)
        assert.ok(near(input.duration ?? 0, length, 0.17), `${input.duration} against ${length}`)
      await (input.medium === 'video' ? works(input) : sounds(input))
    })
  }
})

async function works(input: Awaited<ReturnType<typeof opened>>): Promise<void> {
  const flipped = await run(input, [
    { adapter: videoTrim, options: { duration: 0.4 } },
    { adapter: videoFlip, options: { method: 'FLIP_LEFT_RIGHT' } },
  ])
  const seen = await look(flipped.output.path)
  assert.deepEqual([seen.codec, seen.pixelFormat, seen.colour], ['h264', 'yuv420p', 'bt709/bt709/bt709/tv'])
  assert.deepEqual([seen.width, seen.height], [input.width! - (input.width! % 2), input.height! - (input.height! % 2)])
  assert.ok(near(seen.seconds, Math.min(0.4, input.duration!), 0.05), `${seen.seconds}`)
  const scored = await run(input, [{ adapter: videoAddAudio, assets: { audio_file_name: await tone(1) } }])
  const heard = await look(scored.output.path)
  assert.ok(heard.audio && (heard.seconds === 0 || near(heard.seconds, input.duration!, 0.12)), JSON.stringify(heard))
}

async function sounds(input: Awaited<ReturnType<typeof opened>>): Promise<void> {
  const { output } = await run(input, [
    { adapter: audioNormalize },
    { adapter: audioConvert, options: { format: 'wav' } },
  ])
  assert.ok(near(output.duration ?? 0, input.duration!, 0.06), `${output.duration} against ${input.duration}`)
}
