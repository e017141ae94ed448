import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import sharp from 'sharp'
import { videoAddOverlay } from '#adapters/transformers/video_add_overlay.ts'
import type { MediaFile } from '#media/file/file.ts'
import { videoAdapterContract } from '../../contract/video-adapter.ts'
import {
  around,
  clip,
  ffmpeg,
  frameHashes,
  fresh,
  level,
  limits,
  look,
  opened,
  pixel,
  run,
  withFfmpeg,
} from '../../support/videos.ts'

/** 320x180 and transparent, with a 64x36 block of a colour at 128,72: the middle. */
async function block(colour: string, alpha = 1, ext = '.png'): Promise<MediaFile> {
  const path = fresh(ext)
  const inner = await sharp({ create: { width: 64, height: 36, channels: 4, background: { ...rgb(colour), alpha } } })
    .png()
    .toBuffer()
  await sharp({ create: { width: 320, height: 180, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } })
    .composite([{ input: inner, left: 128, top: 72 }])
    .toFile(path)
  return opened(path)
}

const rgb = (hex: string) => ({
  r: Number.parseInt(hex.slice(1, 3), 16),
  g: Number.parseInt(hex.slice(3, 5), 16),
  b: Number.parseInt(hex.slice(5, 7), 16),
})

const white = () => clip({ pattern: 'color=c=white' })

videoAdapterContract(videoAddOverlay, { assets: async () => ({ overlay_file_name: await block('#ff0000') }) })

test('colours are right, nothing else changes, and the sound is copied', withFfmpeg, async () => {
  const { output, entries } = await run(await white(), [
    { adapter: videoAddOverlay, assets: { overlay_file_name: await block('#3366cc') } },
  ])
  const [r, g, b] = await pixel(output.path, 1, 160, 90)
  assert.ok(Math.abs(r - 0x33) < 4 && Math.abs(g - 0x66) < 4 && Math.abs(b - 0xcc) < 4, `${r} ${g} ${b}`)
  assert.ok((await pixel(output.path, 1, 20, 20)).every(value => value > 250))
  assert.ok(entries[0]!.command!.join(' ').includes('-c:a copy'))
})

test('a thin line keeps its colour: what is transparent beside it has no part in it', withFfmpeg, async () => {
  const path = fresh('.svg')
  const lines = '<path d="M40.5 0 V180 M81.5 0 V180" stroke="#ff0000" stroke-width="1"/>'
  await writeFile(path, `<svg xmlns="http://www.w3.org/2000/svg" width="320" height="180">${lines}</svg>`)
  const { output } = await run(await clip({ pattern: 'color=c=gray' }), [
    { adapter: videoAddOverlay, assets: { overlay_file_name: await opened(path) } },
  ])
  for (const x of [40, 81]) {
    const [r, g] = await pixel(output.path, 1, x, 90)
    assert.ok(r - g > 90, `${r} ${g} at ${x}`)
  }
})

test('half transparent is half of both, by its own alpha and by opacity', withFfmpeg, async () => {
  for (const [alpha, opacity] of [
    [0.5, 1],
    [1, 0.5],
  ] as const) {
    const { output } = await run(await white(), [
      { adapter: videoAddOverlay, options: { opacity }, assets: { overlay_file_name: await block('#000000', alpha) } },
    ])
    const [r] = await pixel(output.path, 1, 160, 90)
    assert.ok(Math.abs(r - 128) < 6, `${r}`)
  }
})

test('position, offset, scale and fit put it where it belongs', withFfmpeg, async () => {
  const path = fresh('.png')
  await sharp({ create: { width: 40, height: 40, channels: 4, background: '#ff0000' } })
    .png()
    .toFile(path)
  const logo = await opened(path)
  const at = async (options: object, ...places: [x: number, y: number][]): Promise<boolean[]> => {
    const { output } = await run(await white(), [
      { adapter: videoAddOverlay, options: { fit: 'none', ...options }, assets: { overlay_file_name: logo } },
    ])
    const colours = await Promise.all(places.map(([x, y]) => pixel(output.path, 1, x, y)))
    return colours.map(([r, g]) => r > 200 && g < 60)
  }
  assert.deepEqual(await at({ position: 'bottom_right', x: -10, y: -10 }, [280, 150], [314, 174]), [true, false])
  assert.deepEqual(await at({ position: 'top_left', scale: 2 }, [76, 76]), [true])
  assert.deepEqual(await at({ fit: 'stretch' }, [4, 90]), [true])
  assert.deepEqual(await at({ fit: 'contain' }, [160, 4], [10, 90]), [true, false])
  assert.deepEqual(await at({ fit: 'cover' }, [4, 4]), [true])
})

test(
  'in a window only the groups of pictures that it touches are encoded, the rest is bit for bit the same',
  withFfmpeg,
  async () => {
    const input = await clip({ seconds: 3 })
    const { output, entries } = await run(input, [
      {
        adapter: videoAddOverlay,
        options: { start: 1.1, end: 1.3 },
        assets: { overlay_file_name: await block('#ff0000') },
      },
    ])
    const [before, after] = [await frameHashes(input.path), await frameHashes(output.path)]
    const changed = before.flatMap((hash, i) => (hash === after[i] ? [] : [i]))
    assert.equal(after.length, 90)
    assert.deepEqual([changed[0], changed.at(-1)], [30, 44])
    assert.deepEqual(entries[0]!.decisions, ['Copied 75 frames as they were, encoded 15 frames.'])
    const red = async (seconds: number): Promise<boolean> => {
      const [r, g, b] = await pixel(output.path, seconds, 160, 90)
      return r > 220 && g < 40 && b < 40
    }
    assert.deepEqual([await red(1.06), await red(1.1), await red(1.26), await red(1.31)], [false, true, true, false])
    assert.equal((await ffmpeg('-v', 'warning', '-i', output.path, '-f', 'null', '-')).trim(), '')
  },
)

test('it fades in and out', withFfmpeg, async () => {
  const { output } = await run(await white(), [
    {
      adapter: videoAddOverlay,
      options: { start: 0.5, end: 1.5, fade: 0.4 },
      assets: { overlay_file_name: await block('#000000') },
    },
  ])
  const [begin, middle, end] = [
    await pixel(output.path, 0.7, 160, 90),
    await pixel(output.path, 1, 160, 90),
    await pixel(output.path, 1.3, 160, 90),
  ]
  assert.ok(
    begin[0] > 60 && begin[0] < 200 && middle[0] < 10 && end[0] > 60 && end[0] < 200,
    `${begin} ${middle} ${end}`,
  )
})

test('WebP, SVG and GIF are laid over with their transparency', withFfmpeg, async () => {
  const svg = fresh('.svg')
  await writeFile(
    svg,
    '<svg xmlns="http://www.w3.org/2000/svg" width="32" height="18"><rect x="12" y="7" width="8" height="4" fill="#ff0000"/></svg>',
  )
  for (const overlay of [await block('#ff0000', 1, '.webp'), await opened(svg), await block('#ff0000', 1, '.gif')]) {
    const { output } = await run(await white(), [{ adapter: videoAddOverlay, assets: { overlay_file_name: overlay } }])
    const [inside, outside] = [await pixel(output.path, 1, 160, 90), await pixel(output.path, 1, 20, 20)]
    assert.ok(
      inside[0] > 220 && inside[1] < 40 && outside.every(value => value > 250),
      `${overlay.mime}: ${inside} ${outside}`,
    )
  }
})

/** Half a second: transparent, with a red block that is there in the first half only. */
async function movingOverlay(ext: string, ...args: string[]): Promise<MediaFile> {
  const path = fresh(ext)
  const graph =
    "color=c=red:s=320x180:r=30:d=0.5,format=yuva444p,geq=lum='lum(X,Y)':cb='cb(X,Y)':cr='cr(X,Y)':a='255*between(X,128,192)*between(Y,72,108)*lt(N,8)'"
  await ffmpeg('-v', 'error', '-f', 'lavfi', '-i', graph, '-f', 'lavfi', '-i', 'sine=880:d=0.5:r=48000', ...args, path)
  return opened(path)
}

test('an animation is enlarged as it plays, however many frames it has', withFfmpeg, async () => {
  const path = fresh('.gif')
  // A red bar that goes from left to right on nothing, three times at thirty steps a second, as GIFs can say it.
  const count = 120
  const frames = Array.from({ length: count }, (_, frame) =>
    Array.from({ length: 40 * 20 }, (_, i) => (i % 40 === frame % 40 ? [255, 0, 0, 255] : [0, 0, 0, 0])),
  )
  const raw = { width: 40, height: 20 * count, channels: 4 as const, pageHeight: 20 }
  await sharp(Buffer.from(frames.flat(2)), { raw })
    .gif({ delay: frames.map((_, frame) => (frame % 3 === 2 ? 40 : 30)), loop: 0 })
    .toFile(path)
  const options = { fit: 'stretch' }
  const small = { ...limits, maxPixels: 320 * 180 * 10 }
  const { output } = await run(
    await clip({ pattern: 'color=c=white', seconds: 9 }),
    [{ adapter: videoAddOverlay, options, assets: { overlay_file_name: await opened(path) } }],
    { limits: small },
  )
  for (const frame of [0, 1, 2, 47, 119, 120, 127, 239, 241]) {
    const x = (frame % 40) * 8 + 4
    const [r, g] = await pixel(output.path, frame / 30, x, 90)
    assert.ok(r > 200 && g < 60, `${r} ${g} in frame ${frame}`)
    const beside = await pixel(output.path, frame / 30, x < 160 ? x + 16 : x - 16, 90)
    assert.ok(Math.min(...beside) > 235, `${beside} beside it in frame ${frame}`)
  }
})

test('WebM and MOV with transparency move, start over, and can be heard', withFfmpeg, async () => {
  const webm = await movingOverlay(
    '.webm',
    '-c:v',
    'libvpx-vp9',
    '-pix_fmt',
    'yuva420p',
    '-deadline',
    'realtime',
    '-c:a',
    'libopus',
  )
  const mov = await movingOverlay('.mov', '-c:v', 'qtrle', '-pix_fmt', 'argb', '-c:a', 'aac')
  const prores = await movingOverlay(
    '.mov',
    '-c:v',
    'prores_ks',
    '-profile:v',
    '4444',
    '-pix_fmt',
    'yuva444p10le',
    '-c:a',
    'aac',
  )
  for (const overlay of [webm, mov, prores]) {
    const { output } = await run(await white(), [
      { adapter: videoAddOverlay, options: { overlay_audio: 'mix' }, assets: { overlay_file_name: overlay } },
    ])
    const shows = async (seconds: number): Promise<boolean> => (await pixel(output.path, seconds, 160, 90))[1] < 60
    assert.deepEqual(
      [await shows(0.1), await shows(0.4), await shows(1.1), await shows(1.4)],
      [true, false, true, false],
      overlay.mime,
    )
    assert.ok(
      (await pixel(output.path, 0.1, 20, 20)).every(value => value > 250),
      `${overlay.mime} lost its transparency`,
    )
    assert.ok((await level(output.path, 0.1, 1.9, around(880))) > -35, overlay.mime)
    assert.equal((await look(output.path)).frames, 60)
  }
})

test('an overlay that does not start over is gone after its end', withFfmpeg, async () => {
  const webm = await movingOverlay(
    '.webm',
    '-c:v',
    'libvpx-vp9',
    '-pix_fmt',
    'yuva420p',
    '-deadline',
    'realtime',
    '-an',
  )
  const { output } = await run(await white(), [
    { adapter: videoAddOverlay, options: { loop: false, start: 0.5 }, assets: { overlay_file_name: webm } },
  ])
  const shows = async (seconds: number): Promise<boolean> => (await pixel(output.path, seconds, 160, 90))[1] < 60
  assert.deepEqual(
    [await shows(0.3), await shows(0.6), await shows(1.1), await shows(1.6)],
    [false, true, false, false],
  )
})

test('upright videos get the upright overlay', withFfmpeg, async () => {
  const assets = { overlay_file_name: await block('#ff0000'), overlay_portrait_file_name: await block('#0000ff') }
  const portrait = await run(await clip({ size: '180x320', pattern: 'color=c=white' }), [
    { adapter: videoAddOverlay, assets },
  ])
  assert.ok((await pixel(portrait.output.path, 1, 90, 160))[2] > 220)
  const landscape = await run(await white(), [{ adapter: videoAddOverlay, assets }])
  assert.ok((await pixel(landscape.output.path, 1, 160, 90))[0] > 220)
})

test(
  'an overlay that would begin after the end is a warning, an end before the start an error',
  withFfmpeg,
  async () => {
    const overlay = await block('#ff0000')
    const { entries } = await run(await white(), [
      { adapter: videoAddOverlay, options: { start: 10 }, assets: { overlay_file_name: overlay } },
    ])
    assert.equal(entries[0]!.warnings.length, 1)
    await assert.rejects(
      run(await white(), [
        { adapter: videoAddOverlay, options: { start: 2, end: 1 }, assets: { overlay_file_name: overlay } },
      ]),
      { code: 'bad_options' },
    )
  },
)

test('an SVG that reaches out of itself is refused', withFfmpeg, async () => {
  const svg = fresh('.svg')
  await writeFile(
    svg,
    '<svg xmlns="http://www.w3.org/2000/svg" width="32" height="18"><image href="file:///etc/passwd" width="9" height="9"/></svg>',
  )
  const overlay = { ...(await block('#ff0000')), path: svg, mime: 'image/svg+xml' }
  await assert.rejects(run(await white(), [{ adapter: videoAddOverlay, assets: { overlay_file_name: overlay } }]), {
    code: 'policy_blocked',
    entry: 0,
  })
})
