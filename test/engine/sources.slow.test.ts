// What people really send, through steps that change frames and steps that do not: upright, in colour, with its sound.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import sharp from 'sharp'
import { videoAddAudio } from '#adapters/transformers/video_add_audio.ts'
import { videoAddOverlay } from '#adapters/transformers/video_add_overlay.ts'
import { videoFlip } from '#adapters/transformers/video_flip.ts'
import { videoJoin } from '#adapters/transformers/video_join.ts'
import { videoThumbnail } from '#adapters/transformers/video_thumbnail.ts'
import { videoTrim } from '#adapters/transformers/video_trim.ts'
import type { MediaFile } from '#media/file/file.ts'
import {
  clip,
  ffmpeg,
  frameHashes,
  fresh,
  level,
  look,
  near,
  opened,
  pixel,
  run,
  tone,
  withFfmpeg,
  x264,
} from '../support/videos.ts'

const aac = ['-c:a', 'aac', '-b:a', '96k']
const fast = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p']

async function mark(): Promise<MediaFile> {
  const path = fresh('.png')
  await sharp({ create: { width: 40, height: 40, channels: 4, background: '#ff0000' } })
    .png()
    .toFile(path)
  return opened(path)
}

const corner = { fit: 'none', position: 'top_left' }
const isRed = ([r, g, b]: [number, number, number]): boolean => r > 200 && g < 60 && b < 60

describe('sources of every container', withFfmpeg, () => {
  const containers: [ext: string, args: string[]][] = [
    ['.mov', [...fast, '-c:a', 'pcm_s16le']],
    ['.webm', ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-c:a', 'libopus']],
    ['.mkv', [...fast, '-c:a', 'libmp3lame']],
    ['.avi', ['-c:v', 'mpeg4', '-q:v', '3', '-c:a', 'libmp3lame']],
    ['.ts', [...fast, ...aac]],
    ['.3gp', [...fast, ...aac]],
  ]
  for (const [ext, args] of containers) {
    test(`${ext} is overlaid, joined and keeps its sound`, async () => {
      const input = await clip({ seconds: 1, pattern: 'color=c=white', ext, args })
      const { output } = await run(input, [
        { adapter: videoAddOverlay, options: corner, assets: { overlay_file_name: await mark() } },
        { adapter: videoJoin, assets: { outro_file_name: await clip({ seconds: 0.5, tone: null }) } },
      ])
      const seen = await look(output.path)
      assert.ok(near(seen.frames, 45, 1) && seen.codec === 'h264' && seen.audio?.codec === 'aac', JSON.stringify(seen))
      assert.ok(isRed(await pixel(output.path, 0.5, 20, 20)))
      assert.ok((await level(output.path, 0.2, 0.8)) > -30 && (await level(output.path, 1.15, 1.45)) < -55)
    })
  }

  test('a GIF that moves is joined, and one that is transparent lies on the background', async () => {
    const gif = await clip({ seconds: 1, rate: '10', tone: null, pattern: 'color=c=white', ext: '.gif', args: [] })
    const { output } = await run(await clip({ seconds: 1 }), [{ adapter: videoJoin, assets: { intro_file_name: gif } }])
    assert.ok((await look(output.path)).frames >= 59)
    assert.ok((await pixel(output.path, 0.5, 160, 90)).every(value => value > 240))
  })
})

describe('sound of every kind', withFfmpeg, () => {
  const sounds: [name: string, args: string[]][] = [
    ['mono', ['-ac', '1']],
    ['5.1', ['-af', 'pan=5.1|c0=c0|c1=c0|c2=c0|c3=0*c0|c4=c0|c5=c0']],
    ['44.1 kHz', ['-ar', '44100']],
    ['8 kHz', ['-ar', '8000']],
  ]
  for (const [name, args] of sounds) {
    test(`${name} is heard on both sides, about as loud as it was, for as long as the picture`, async () => {
      const input = await clip({ seconds: 1, args: [...x264, ...aac, ...args] })
      const joined = { adapter: videoJoin, assets: { intro_file_name: await clip({ seconds: 0.5 }) } }
      const { output } = await run(input, [joined])
      const seen = await look(output.path)
      assert.deepEqual([seen.audio?.rate, seen.audio?.channels], [48_000, 2])
      assert.ok(near(seen.audio!.seconds, 1.5, 0.03), `${seen.audio!.seconds}`)
      const [left, right] = [
        await level(output.path, 0.7, 1.3, 'pan=mono|c0=c0,'),
        await level(output.path, 0.7, 1.3, 'pan=mono|c0=c1,'),
      ]
      assert.ok(near(left, right, 0.5) && near(left, -21, 8), `${left} and ${right} dB`)
    })
  }

  test('six loud channels become two that do not clip', async () => {
    const loud = ['-af', 'volume=14dB,pan=5.1|c0=c0|c1=c0|c2=c0|c3=0*c0|c4=c0|c5=c0']
    const input = await clip({ seconds: 1, args: [...x264, ...aac, ...loud] })
    const joined = { adapter: videoJoin, assets: { intro_file_name: await clip({ seconds: 0.5, tone: null }) } }
    const { output } = await run(input, [joined])
    const said = await ffmpeg('-i', output.path, '-vn', '-af', 'ebur128=peak=sample', '-f', 'null', '-')
    const peak = Number([...said.matchAll(/Peak:\s+(-?[\d.]+) dBFS/g)].at(-1)![1])
    assert.ok(peak < 0.3, `peaks at ${peak} dBFS`)
  })

  test('a recording of sound alone is refused where a picture is needed, and its sound taken where not', async () => {
    const joined = { adapter: videoJoin, assets: { intro_file_name: await clip() } }
    await assert.rejects(run(await tone(1), [joined]), { code: 'unsupported_format', entry: 0 })
    const added = { adapter: videoAddAudio, assets: { audio_file_name: await clip({ tone: 880 }) } }
    const { output } = await run(await clip({ seconds: 1, tone: null }), [added])
    assert.ok((await level(output.path, 0.1, 0.4)) > -30)
  })
})

describe('phones', withFfmpeg, () => {
  /** White, stored on its side or head. */
  async function turned(degrees: number): Promise<MediaFile> {
    const path = fresh('.mp4')
    const { path: flat } = await clip({ seconds: 1, pattern: 'color=c=white', args: [...x264, '-g', '15', ...aac] })
    await ffmpeg('-v', 'error', '-i', flat, '-c', 'copy', '-metadata:s:v', `rotate=${degrees}`, path)
    return opened(path)
  }

  test('an overlay lies upright on what was filmed upright, in its corner', async () => {
    for (const [degrees, width, height] of [
      [90, 180, 320],
      [180, 320, 180],
      [270, 180, 320],
    ] as const) {
      const { output } = await run(await turned(degrees), [
        { adapter: videoAddOverlay, options: corner, assets: { overlay_file_name: await mark() } },
      ])
      const seen = await look(output.path)
      assert.deepEqual([seen.width, seen.height], [width, height])
      assert.ok(isRed(await pixel(output.path, 0.5, 20, 20)) && !isRed(await pixel(output.path, 0.5, 60, 20)))
      const said = await ffmpeg('-i', output.path, '-t', '0.1', '-f', 'null', '-')
      assert.ok(!said.includes('rotat'), 'it would be turned once more')
    }
  })

  test('pixels that are not square become square', async () => {
    const input = await clip({ seconds: 0.5, size: '160x180', args: ['-vf', 'setsar=2', ...x264, ...aac] })
    assert.deepEqual([input.width, input.height], [320, 180])
    const { output } = await run(input, [{ adapter: videoFlip, options: { method: 'ROTATE_90' } }])
    const seen = await look(output.path)
    assert.deepEqual([seen.width, seen.height], [180, 320])
  })
})

describe('what is not proven safe to copy is encoded', withFfmpeg, () => {
  const window = { start: 0.2, end: 0.4 }
  const cases: [name: string, make: () => Promise<MediaFile>][] = [
    [
      'HEVC',
      () => clip({ args: ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=error', ...aac] }),
    ],
    ['interlaced', () => clip({ size: '320x240', args: [...x264, '-flags', '+ilme+ildct', '-top', '1', ...aac] })],
    [
      'a rate that varies',
      () => clip({ args: ['-vf', "select='not(mod(n,3))+gt(n,30)'", '-vsync', 'vfr', ...x264, ...aac] }),
    ],
    ['10 bits', () => clip({ args: ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p10le', ...aac] })],
    ['an open GOP', () => clip({ args: [...x264, '-g', '15', '-x264-params', 'open-gop=1:bframes=3', ...aac] })],
    [
      'other colours',
      () =>
        clip({
          args: [
            ...fast,
            '-colorspace',
            'smpte170m',
            '-color_primaries',
            'smpte170m',
            '-color_trc',
            'smpte170m',
            ...aac,
          ],
        }),
    ],
    [
      'full range',
      () =>
        clip({
          args: [
            '-vf',
            'scale=out_range=pc',
            '-c:v',
            'libx264',
            '-preset',
            'ultrafast',
            '-pix_fmt',
            'yuvj420p',
            ...aac,
          ],
        }),
    ],
  ]
  for (const [name, make] of cases) {
    test(name, async () => {
      const input = await make()
      const { output, entries } = await run(input, [
        { adapter: videoAddOverlay, options: { ...corner, ...window }, assets: { overlay_file_name: await mark() } },
      ])
      const seen = await look(output.path)
      assert.deepEqual([seen.pixelFormat, seen.colour], ['yuv420p', 'bt709/bt709/bt709/tv'])
      assert.ok(near(seen.seconds, 2, 0.05), `${seen.seconds}`)
      assert.match(entries[0]!.decisions.at(-1)!, /^Encoded (everything|the picture) once/)
    })
  }

  test('while the same video, made safe, is copied around the window', async () => {
    const input = await clip()
    const { output } = await run(input, [
      { adapter: videoAddOverlay, options: { ...corner, ...window }, assets: { overlay_file_name: await mark() } },
    ])
    assert.deepEqual((await frameHashes(output.path)).slice(15), (await frameHashes(input.path)).slice(15))
  })
})

test('a cut into a frame that is shown for long begins with that frame', withFfmpeg, async () => {
  // Grey that brightens until half a second, stands still for a second, and goes on white.
  const args = [
    '-vf',
    "geq=lum='if(lt(N,15),40+6*N,235)':cb=128:cr=128,select='lt(n,15)+gte(n,45)'",
    '-vsync',
    'vfr',
    ...x264,
    ...aac,
  ]
  const input = await clip({ pattern: 'color=c=black', args })
  const { output } = await run(input, [{ adapter: videoTrim, options: { start: 1.2 } }])
  const [held] = await pixel(output.path, 0.1, 160, 90)
  const [after] = await pixel(output.path, 0.5, 160, 90)
  assert.ok(near(held, ((40 + 6 * 14 - 16) * 255) / 219, 6) && after > 245, `${held}, then ${after}`)
  const picture = await run(input, [{ adapter: videoThumbnail, options: { at: 1.4, format: 'png' } }])
  const { channels } = await sharp(picture.output.path).stats()
  assert.ok(near(channels[0]!.mean, held, 3), `${channels[0]!.mean} on the thumbnail`)
})

test(
  'HDR keeps the brightness that it has on a phone: a page stays light, grey stays in the middle',
  withFfmpeg,
  async () => {
    for (const transfer of ['arib-std-b67', 'smpte2084']) {
      const tagged = 'setparams=range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709'
      const linear = 'zscale=t=linear:npl=203,format=gbrpf32le,zscale=p=bt2020'
      const hdr = `zscale=t=${transfer}:m=bt2020nc:r=tv:npl=203,format=yuv420p10le`
      const colours = `colorprim=bt2020:transfer=${transfer}:colormatrix=bt2020nc`
      const codec = ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', `log-level=error:${colours}`]
      const seen: number[] = []
      for (const luma of [126, 235]) {
        const drawn = `geq=lum=${luma}:cb=128:cr=128,format=yuv444p,${tagged},${linear},${hdr}`
        const input = await clip({ seconds: 0.2, tone: null, args: ['-vf', drawn, ...codec, '-tag:v', 'hvc1'] })
        const { output } = await run(input, [{ adapter: videoFlip, options: { method: 'ROTATE_180' } }])
        seen.push((await pixel(output.path, 0.1, 160, 90))[1])
      }
      assert.ok(near(seen[0]!, 128, 14) && seen[1]! > 205, `${transfer}: ${seen}`)
    }
  },
)
