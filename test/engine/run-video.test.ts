import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import sharp from 'sharp'
import { audioNormalize } from '#adapters/transformers/audio_normalize.ts'
import { videoAddAudio } from '#adapters/transformers/video_add_audio.ts'
import { videoAddOverlay } from '#adapters/transformers/video_add_overlay.ts'
import { videoAddText } from '#adapters/transformers/video_add_text.ts'
import { videoBoomerang } from '#adapters/transformers/video_boomerang.ts'
import { videoChromaKey } from '#adapters/transformers/video_chroma_key.ts'
import { videoConvert } from '#adapters/transformers/video_convert.ts'
import { videoFade } from '#adapters/transformers/video_fade.ts'
import { videoFlip } from '#adapters/transformers/video_flip.ts'
import { videoJoin } from '#adapters/transformers/video_join.ts'
import { videoResize } from '#adapters/transformers/video_resize.ts'
import { videoSpeed } from '#adapters/transformers/video_speed.ts'
import { videoTrim } from '#adapters/transformers/video_trim.ts'
import { videoAdapter } from '#engine/adapter.ts'
import type { MediaFile } from '#media/file/file.ts'
import { filter, through } from '#media/graph/video-ops.ts'
import { preparedIn } from '../support/rooms.ts'
import {
  clip,
  ffmpeg,
  folder,
  frameHashes,
  fresh,
  look,
  near,
  oneByOne,
  opened,
  pixel,
  run,
  ssim,
  tone,
  type Wish,
  withFfmpeg,
  x264,
} from '../support/videos.ts'

async function logo(): Promise<MediaFile> {
  const path = fresh('.png')
  await sharp({ create: { width: 60, height: 40, channels: 4, background: '#ee3322' } })
    .png()
    .toFile(path)
  return opened(path)
}

const [music, mark, intro] = withFfmpeg.skip
  ? []
  : await Promise.all([
      tone(3),
      logo(),
      clip({ seconds: 0.6, pattern: 'smptebars', size: '240x180', rate: '25', tone: 220 }),
    ])

/** Every adapter that makes a video of a video, as a ring: each melts with the next. */
const ring: Wish[] = withFfmpeg.skip
  ? []
  : [
      {
        adapter: videoAddOverlay,
        options: { fit: 'none', position: 'top_left' },
        assets: { overlay_file_name: mark! },
      },
      { adapter: videoFade, options: { fade_in: 0.3, fade_out: 0.3 } },
      { adapter: videoResize, options: { aspect: '1:1', fit: 'blur_pad' } },
      { adapter: videoAddAudio, assets: { audio_file_name: music! } },
      { adapter: videoJoin, assets: { intro_file_name: intro! } },
      { adapter: videoAddText, options: { text: 'Melted', start: 0.4, end: 0.9 } },
      { adapter: videoFlip, options: { method: 'ROTATE_90' } },
      { adapter: videoTrim, options: { start: 0.25, duration: 0.6 } },
      { adapter: videoSpeed, options: { factor: 0.5, audio: 'stretch' } },
      { adapter: videoBoomerang, options: { duration: 0.4, loops: 2 } },
      { adapter: videoChromaKey, assets: { background_file_name: mark! } },
      { adapter: videoConvert, options: { crf: 23, max_height: 90 } },
    ]

describe('melted is what the entries one by one would make', withFfmpeg, () => {
  for (const [i, first] of ring.entries()) {
    const second = ring[(i + 1) % ring.length]!
    test(`${first.adapter.name} > ${second.adapter.name}`, async () => {
      const input = await clip({ seconds: 1 })
      const [melted, stepped] = [await run(input, [first, second]), await oneByOne(input, [first, second])]
      const [a, b] = [await look(melted.output.path), await look(stepped.output.path)]
      assert.deepEqual([a.width, a.height, a.frames, a.fps, a.streams], [b.width, b.height, b.frames, b.fps, b.streams])
      assert.ok(near(a.audio?.seconds ?? 0, b.audio?.seconds ?? 0, 0.05))
      const alike = await ssim(melted.output.path, stepped.output.path)
      assert.ok(alike > 0.98, `SSIM ${alike}`)
      assert.equal(melted.entries.length, 2)
      assert.deepEqual([melted.entries[0]!.facts?.bytes, melted.entries[1]!.facts?.mime], [0, 'video/mp4'])
    })
  }
})

test('five entries are one encode, with sound, and every entry moves on', withFfmpeg, async () => {
  const wishes = ring.slice(0, 5)
  const { output, entries, progress } = await run(await clip({ seconds: 1 }), wishes)
  assert.equal((await look(output.path)).frames, 30 + 18)
  assert.equal(entries.length, 5)
  assert.equal(progress.at(-1), 1)
})

describe('assets in the form that a join needs', withFfmpeg, () => {
  test('are made once, kept, and taken from then on; the result is the same', async () => {
    const cacheFolder = fresh()
    const wishes = [ring[0]!, ring[3]!, ring[4]!]
    const over = { prepared: preparedIn(cacheFolder) }
    const input = await clip({ seconds: 1 })
    const [first, second] = [await run(input, wishes, over), await run(input, wishes, over)]
    assert.ok(first.entries.at(-1)!.decisions.includes('Encoded 48 frames.'), first.entries.at(-1)!.decisions.join())
    assert.ok(
      second.entries.at(-1)!.decisions.includes('Took 18 frames from the store of prepared assets, encoded 30 frames.'),
      second.entries.at(-1)!.decisions.join(),
    )
    assert.deepEqual(await frameHashes(second.output.path), await frameHashes(first.output.path))
    assert.equal((await readdir(cacheFolder)).length, 2)
  })

  test('a kept file that is damaged is made anew', async () => {
    const cacheFolder = fresh()
    const input = await clip({ seconds: 1 })
    const wish = [ring[4]!]
    await run(input, wish, { prepared: preparedIn(cacheFolder) })
    const [name] = await readdir(cacheFolder)
    await sharp({ create: { width: 8, height: 8, channels: 3, background: '#000' } })
      .png()
      .toFile(join(cacheFolder, name!))
    const { output } = await run(input, wish, { prepared: preparedIn(cacheFolder) })
    assert.equal((await look(output.path)).frames, 48)
  })
})

describe('failures', withFfmpeg, () => {
  const broken = videoAdapter({
    name: 'broken',
    summary: 'Fails when it runs, not when it is planned.',
    accepts: ['video'],
    makes: 'video',
    options: videoFlip.options,
    video: (_graph, { video, audio }) => ({
      video: through([video!], [filter('crop', { w: 100_000, h: 100_000 })]),
      audio,
    }),
  })

  test('belong to the entry that fails, wherever it stands in the melted run', async () => {
    const options = { method: 'ROTATE_180' }
    for (const [wishes, entry] of [
      [
        [
          { adapter: broken, options },
          { adapter: videoFlip, options },
          { adapter: videoFade, options: {} },
        ],
        0,
      ],
      [
        [
          { adapter: videoFlip, options },
          { adapter: broken, options },
          { adapter: videoFade, options: {} },
        ],
        1,
      ],
      [
        [
          { adapter: videoFlip, options },
          { adapter: videoFade, options: { fade_in: 0.1 } },
          { adapter: broken, options },
        ],
        2,
      ],
    ] as const) {
      await assert.rejects(run(await clip({ seconds: 0.4 }), [...wishes]), { entry })
    }
  })

  test('of an input that is no video name the first entry and what is taken', async () => {
    await assert.rejects(run(await logo(), [{ adapter: videoFlip, options: { method: 'ROTATE_180' } }]), {
      code: 'unsupported_format',
      entry: 0,
      message: 'The input is a picture; this step takes a video.',
    })
    await assert.rejects(run(await tone(1), [{ adapter: videoFlip, options: { method: 'ROTATE_180' } }]), {
      code: 'unsupported_format',
      entry: 0,
    })
  })
})

describe('sources people really have', withFfmpeg, () => {
  const flip: Wish = { adapter: videoFlip, options: { method: 'FLIP_TOP_BOTTOM' } }

  test('HDR10 and HLG are tone-mapped to BT.709: grey stays grey, white is not burnt out', async () => {
    for (const transfer of ['smpte2084', 'arib-std-b67']) {
      const args = [
        '-vf',
        `format=yuv420p10le,setparams=color_primaries=bt2020:color_trc=${transfer}:colorspace=bt2020nc`,
        '-c:v',
        'libx265',
        '-preset',
        'ultrafast',
        '-x265-params',
        'log-level=error',
        '-pix_fmt',
        'yuv420p10le',
        '-color_primaries',
        'bt2020',
        '-color_trc',
        transfer,
        '-colorspace',
        'bt2020nc',
        '-tag:v',
        'hvc1',
      ]
      const input = await clip({ seconds: 0.4, tone: null, pattern: 'color=c=gray', args })
      const { output, entries } = await run(input, [flip])
      const seen = await look(output.path)
      assert.deepEqual([seen.colour, seen.pixelFormat], ['bt709/bt709/bt709/tv', 'yuv420p'])
      const [r, g, b] = await pixel(output.path, 0.1, 160, 90)
      assert.ok(near(r, g, 4) && near(g, b, 4) && r > 40 && r < 250, `${transfer}: ${r} ${g} ${b}`)
      assert.ok(entries[0]!.decisions.some(sentence => sentence.includes('HDR')))
    }
  })

  test('a rate that varies becomes constant and keeps its length', async () => {
    const args = ['-vf', "select='not(mod(n,3))+gt(n,30)'", '-vsync', 'vfr', ...x264, '-c:a', 'aac']
    const input = await clip({ args })
    const { output } = await run(input, [flip])
    const seen = await look(output.path)
    assert.ok(near(seen.seconds, 2, 0.04) && seen.fps === '30/1', JSON.stringify(seen))
  })

  test('an animated GIF is a video too', async () => {
    const gif = await clip({ ext: '.gif', tone: null, seconds: 1, rate: '10', args: [] })
    const { output } = await run({ ...gif }, [{ adapter: videoAddAudio, assets: { audio_file_name: music! } }]).catch(
      error => assert.fail(error),
    )
    const seen = await look(output.path)
    assert.deepEqual([seen.codec, seen.audio?.codec], ['h264', 'aac'])
    assert.ok(near(seen.seconds, 1, 0.11))
  })

  test('a display matrix stays where packets are copied, and the place of recording goes', async () => {
    const path = fresh('.mp4')
    const args = [
      '-i',
      (await clip()).path,
      '-c',
      'copy',
      '-metadata:s:v',
      'rotate=90',
      '-metadata',
      'location=+52.5200+013.4050/',
      '-movflags',
      '+faststart',
      path,
    ]
    await ffmpeg('-v', 'error', ...args)
    const { output } = await run(await opened(path), [{ adapter: audioNormalize }])
    assert.deepEqual([output.width, output.height], [180, 320])
    const said = await ffmpeg('-i', output.path, '-t', '0.1', '-f', 'null', '-')
    assert.ok(!said.includes('location') && !said.includes('+52.52'), said)
  })

  test('sound that begins later than the picture stays there', async () => {
    const path = fresh('.mp4')
    await ffmpeg(
      '-v',
      'error',
      '-i',
      (await clip()).path,
      '-itsoffset',
      '0.5',
      '-i',
      (await clip()).path,
      '-map',
      '0:v',
      '-map',
      '1:a',
      '-c',
      'copy',
      path,
    )
    const { output } = await run(await opened(path), [{ adapter: audioNormalize }])
    const { level } = await import('../support/videos.ts')
    assert.ok((await level(output.path, 0, 0.4)) < -60)
    assert.ok((await level(output.path, 0.7, 1.2)) > -30)
  })

  test('interlaced frames are made whole', async () => {
    const input = await clip({ size: '320x240', args: [...x264, '-flags', '+ilme+ildct', '-top', '1'] })
    const { entries } = await run(input, [flip])
    assert.ok(entries[0]!.command!.join(' ').includes('bwdif'))
  })
})

test('nothing but the output is left in the folder, and no path in the command', withFfmpeg, async () => {
  const { output, entries } = await run(await clip(), [ring[0]!, ring[3]!, ring[4]!])
  assert.deepEqual(await readdir(join(output.path, '..')), ['output.mp4'])
  assert.ok(!entries.some(({ command }) => command?.join(' ').includes(folder)))
})
