// Recordings whose picture and sound do not begin together, and animations of clips that end early.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { audioNormalize } from '#adapters/transformers/audio_normalize.ts'
import { videoConvert } from '#adapters/transformers/video_convert.ts'
import { videoFlip } from '#adapters/transformers/video_flip.ts'
import { videoToGif } from '#adapters/transformers/video_to_gif.ts'
import { ffmpeg, fresh, look, opened, run, withFfmpeg } from '../support/videos.ts'

/** Two seconds of both, one of them that much later. */
async function late(what: 'picture' | 'sound', ext: '.mp4' | '.mkv'): Promise<string> {
  const path = fresh(ext)
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=160x120:rate=25:duration=2']
  const sound = ['-f', 'lavfi', '-i', 'sine=frequency=440:duration=2']
  const offset = ['-itsoffset', '0.5']
  const inputs = what === 'picture' ? [...offset, ...picture, ...sound] : [...picture, ...offset, ...sound]
  await ffmpeg(...inputs, '-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac', path)
  return path
}

const flip = { adapter: videoFlip, options: { method: 'FLIP_TOP_BOTTOM' } }

for (const ext of ['.mp4', '.mkv'] as const)
  for (const what of ['sound', 'picture'] as const)
    test(`${what} that begins half a second later is no damage (${ext})`, withFfmpeg, async () => {
      const input = await opened(await late(what, ext))
      for (const job of [
        flip,
        { adapter: videoConvert, options: {} },
        { adapter: videoConvert, options: { format: 'mov' } },
      ]) {
        const { output } = await run(input, [job])
        const { frames, audio } = await look(output.path)
        assert.ok(frames >= 49, `${job.adapter.name}: ${frames} frames`)
        assert.ok((audio?.seconds ?? 0) > 1.9, `${job.adapter.name}: ${audio?.seconds} s of sound`)
      }
    })

test('a GIF of a clip that ends early is refused, as every video of it', withFfmpeg, async () => {
  const whole = fresh('.mkv')
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=160x120:rate=25:duration=4', '-g', '10']
  await ffmpeg(...picture, '-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', whole)
  const bytes = await readFile(whole)
  const cut = fresh('.mkv')
  await writeFile(cut, bytes.subarray(0, Math.floor(bytes.length / 2)))
  const gif = { adapter: videoToGif, options: { width: 80, fps: 10 } }
  const { output } = await run(await opened(whole), [gif])
  assert.equal(output.mime, 'image/gif')
  await assert.rejects(async () => run(await opened(cut), [gif]), { code: 'corrupt_input' })
})

test('a sound too short to be measured is not called silent', withFfmpeg, async () => {
  const path = fresh('.wav')
  await ffmpeg('-f', 'lavfi', '-i', 'sine=frequency=1000:duration=0.3', path)
  const { entries } = await run(await opened(path), [{ adapter: audioNormalize, options: {} }])
  assert.match(entries[0]?.warnings.join() ?? '', /too short or too quiet/)
})
