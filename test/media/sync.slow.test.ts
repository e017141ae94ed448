// Picture and sound stay together: a flash and a beep at every full second, looked for in what comes out.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { audioNormalize } from '#adapters/transformers/audio_normalize.ts'
import { videoAddAudio } from '#adapters/transformers/video_add_audio.ts'
import { videoConvert } from '#adapters/transformers/video_convert.ts'
import { videoFlip } from '#adapters/transformers/video_flip.ts'
import { videoJoin } from '#adapters/transformers/video_join.ts'
import { videoTrim } from '#adapters/transformers/video_trim.ts'
import type { MediaFile } from '#media/file/file.ts'
import { ffmpeg, fresh, opened, run, tone, type Wish, withFfmpeg, x264 } from '../support/videos.ts'

const exec = promisify(execFile)
const bytes = { encoding: 'buffer', maxBuffer: 64 * 1024 ** 2 } as const
const RATE = 48_000

/** A flash of a tenth of a second and a beep with it, at every full second but the first. */
async function marked(args: string[], ext = '.mp4', rate = '30'): Promise<MediaFile> {
  const path = fresh(ext)
  const sound = `aevalsrc='if(lt(mod(t,1),0.1)*gte(t,0.5),0.7*sin(2*PI*1000*t),0)':s=${RATE}:d=3`
  const picture = "geq=lum='if(lt(mod(T,1),0.1)*gte(T,0.5),235,16)':cb=128:cr=128"
  const inputs = ['-f', 'lavfi', '-i', `color=c=black:s=64x48:r=${rate}:d=3`, '-f', 'lavfi', '-i', sound]
  await ffmpeg('-v', 'error', ...inputs, '-vf', picture, ...args, path)
  return opened(path)
}

async function flashes(path: string): Promise<number[]> {
  // As many frames as ffprobe tells: none is repeated where the picture begins late.
  const shown = ['-vf', 'scale=1:1,format=gray', '-fps_mode', 'passthrough', '-f', 'rawvideo', '-']
  const { stdout } = await exec('ffmpeg', ['-v', 'error', '-i', path, ...shown], bytes)
  const { stdout: told } = await exec(
    'ffprobe',
    ['-v', 'error', '-select_streams', 'v', '-show_entries', 'frame=pts_time', '-of', 'csv=p=0', path],
    { maxBuffer: 1e7 },
  )
  const times = told
    .split(/[,\s]+/)
    .filter(Boolean)
    .map(Number)
  return [...stdout].flatMap((luma, i) => (luma > 150 && (stdout[i - 1] ?? 0) <= 150 ? [times[i]!] : []))
}

async function beeps(path: string): Promise<number[]> {
  const heard = ['-map', '0:a', '-af', `aresample=${RATE}:async=1:first_pts=0`, '-ac', '1', '-f', 'f32le', '-']
  const { stdout } = await exec('ffmpeg', ['-v', 'error', '-i', path, ...heard], bytes)
  const samples = new Float32Array(Uint8Array.from(stdout).buffer)
  const found: number[] = []
  let silent = RATE
  for (const [i, sample] of samples.entries()) {
    if (Math.abs(sample) < 0.08) silent++
    else {
      if (silent > 0.15 * RATE) found.push(i / RATE)
      silent = 0
    }
  }
  return found
}

const h264 = [...x264, '-g', '30', '-c:a', 'aac', '-b:a', '128k']
const HALF_A_FRAME = 0.5 / 24

async function together(input: MediaFile, wishes: Wish[], count: number): Promise<void> {
  const { output } = await run(input, wishes)
  const [seen, heard] = [await flashes(output.path), await beeps(output.path)]
  assert.equal(seen.length, count, `flashes at ${seen}`)
  assert.equal(heard.length, count, `beeps at ${heard}`)
  for (const [i, flash] of seen.entries())
    assert.ok(Math.abs(heard[i]! - flash) <= HALF_A_FRAME, `flashes at ${seen}, beeps at ${heard}`)
}

describe('picture and sound stay together', withFfmpeg, () => {
  const intro = () => marked(['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'pcm_s16le'], '.mov', '24000/1001')
  const webm = () => marked(['-c:v', 'libvpx', '-deadline', 'realtime', '-c:a', 'libopus'], '.webm')

  test('through joins of three, copied, encoded and crossfaded', async () => {
    const main = await marked(h264)
    const copied = { adapter: videoJoin, assets: { intro_file_name: main, outro_file_name: main } }
    await together(main, [copied], 6)
    const mixed = { adapter: videoJoin, assets: { intro_file_name: await intro(), outro_file_name: await webm() } }
    await together(main, [mixed], 6)
    await together(main, [{ ...mixed, options: { transition: 'crossfade' } }], 6)
  })

  test('through cuts between key frames, whatever the container', async () => {
    const cut = { adapter: videoTrim, options: { start: 0.77, end: 2.9 } }
    for (const input of [await marked(h264), await webm(), await intro()]) await together(input, [cut], 2)
  })

  test('through mixes and other containers', async () => {
    const quiet = { adapter: videoAddAudio, options: { mode: 'mix', volume: 0.01 } }
    await together(await marked(h264), [{ ...quiet, assets: { audio_file_name: await tone(1) } }], 2)
    await together(await marked(h264), [{ adapter: videoConvert, options: { format: 'webm' } }], 2)
  })

  test('where fragments show frames earlier than they are decoded, which ffmpeg reads as a later picture', async () => {
    const fragments = ['-movflags', '+frag_keyframe+empty_moov+default_base_moof+negative_cts_offsets']
    const h264 = ['-c:v', 'libx264', '-preset', 'medium', '-bf', '2', '-g', '30', '-pix_fmt', 'yuv420p']
    const input = await marked([...h264, '-c:a', 'pcm_s16le', ...fragments], '.mov')
    const mix = { adapter: videoAddAudio, options: { mode: 'mix', volume: 0 } }
    await together(input, [{ adapter: videoFlip, options: { method: 'FLIP_TOP_BOTTOM' } }], 2)
    await together(input, [{ ...mix, assets: { audio_file_name: await tone(1) } }], 2)
    await together(input, [{ adapter: audioNormalize, options: {} }], 2)
    await together(input, [{ adapter: videoTrim, options: { start: 0.5, end: 2.9 } }], 2)
  })

  test('where the sound has a small gap at its start, as files without edit lists have', async () => {
    const path = fresh('.mp4')
    const main = await marked(['-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-c:a', 'aac'])
    await ffmpeg('-v', 'error', '-i', main.path, '-c', 'copy', '-use_editlist', '0', path)
    const late = await opened(path)
    const mix = { adapter: videoAddAudio, options: { mode: 'mix', volume: 0 } }
    await together(late, [{ ...mix, assets: { audio_file_name: await tone(1) } }], 2)
    await together(late, [{ adapter: audioNormalize, options: {} }], 2)
    await together(late, [{ adapter: videoTrim, options: { start: 0.5, end: 2.9 } }], 2)
    await together(main, [{ adapter: videoJoin, assets: { intro_file_name: await intro(), outro_file_name: late } }], 6)
  })
})
