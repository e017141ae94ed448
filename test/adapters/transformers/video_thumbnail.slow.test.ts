import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { photoToVideo } from '#adapters/transformers/photo_to_video.ts'
import { videoThumbnail } from '#adapters/transformers/video_thumbnail.ts'
import { videoAdapterContract } from '../../contract/video-adapter.ts'
import { clip, look, run, withFfmpeg } from '../../support/videos.ts'

videoAdapterContract(videoThumbnail)

const pixelOf = async (path: string): Promise<number[]> => [
  ...(await sharp(path).extract({ left: 40, top: 40, width: 1, height: 1 }).removeAlpha().raw().toBuffer()),
]

/** Black, then blue, then white, a second each. */
const phases = () =>
  clip({
    seconds: 3,
    pattern: 'color=c=0x2255ee',
    tone: null,
    args: [
      '-vf',
      "format=gbrp,lut=r='if(lt(val,0),0,val)',fade=t=in:st=0.9:d=0.1,fade=t=out:st=2:d=0.1:c=white,scale=out_color_matrix=bt709",
      '-pix_fmt',
      'yuv420p',
      '-colorspace',
      'bt709',
      '-color_primaries',
      'bt709',
      '-color_trc',
      'bt709',
    ],
  })

test('the frame at a second, in its colours', withFfmpeg, async () => {
  const at = async (seconds: number): Promise<number[]> =>
    pixelOf(
      (await run(await phases(), [{ adapter: videoThumbnail, options: { at: seconds, format: 'png' } }])).output.path,
    )
  assert.ok((await at(0.2)).every(value => value < 6))
  const [r, g, b] = await at(1.5)
  assert.ok(Math.abs(r! - 0x22) < 6 && Math.abs(g! - 0x55) < 6 && Math.abs(b! - 0xee) < 6, `${r} ${g} ${b}`)
  assert.ok((await at(2.9)).every(value => value > 248))
})

test('of a video in RGB too, whatever its size', withFfmpeg, async () => {
  const forms = [
    ['.mov', '-c:v', 'qtrle', '-pix_fmt', 'rgb24'],
    ['.mov', '-c:v', 'qtrle', '-pix_fmt', 'argb'],
    ['.mov', '-c:v', 'png', '-pix_fmt', 'rgba'],
    ['.avi', '-c:v', 'rawvideo', '-pix_fmt', 'bgr24'],
    ['.gif', '-vf', 'split[a][b];[b]palettegen[p];[a][p]paletteuse=dither=none'],
  ] as const
  for (const size of ['320x180', '1280x720'])
    for (const [ext, ...args] of forms) {
      const input = await clip({ seconds: 0.4, size, rate: '10', pattern: 'color=c=0xdb2455', tone: null, args, ext })
      const { output } = await run(input, [{ adapter: videoThumbnail, options: { at: 0.1, format: 'png' } }])
      const seen = await pixelOf(output.path)
      const off = [0xdb, 0x24, 0x55].map((value, i) => Math.abs(value - seen[i]!))
      assert.ok(Math.max(...off) <= 4, `${args.join(' ')} ${size}: ${seen}`)
    }
})

test('the best frame is not the black beginning', withFfmpeg, async () => {
  const { output } = await run(
    await clip({
      seconds: 3,
      tone: null,
      args: ['-vf', 'fade=t=in:st=0.5:d=0.2', '-c:v', 'libx264', '-pix_fmt', 'yuv420p'],
    }),
    [{ adapter: videoThumbnail }],
  )
  assert.deepEqual([output.mime, output.width, output.height, output.medium], ['image/jpeg', 320, 180, 'image'])
  assert.ok((await sharp(output.path).stats()).channels[0]!.mean > 40)
})

test('sizes: one side keeps the shape, both cut it', withFfmpeg, async () => {
  const size = async (options: object): Promise<string> => {
    const { output } = await run(await clip(), [{ adapter: videoThumbnail, options: { at: 0, ...options } }])
    return `${output.width}x${output.height}`
  }
  assert.deepEqual(
    [await size({ width: 160 }), await size({ height: 90 }), await size({ width: 100, height: 100 })],
    ['160x90', '160x90', '100x100'],
  )
  // A video cannot be so large, a picture can.
  assert.deepEqual(
    [await size({ width: 151 }), await size({ height: 101 }), await size({ width: 101, height: 75, format: 'png' })],
    ['151x85', '180x101', '101x75'],
  )
})

test('a second after the end is refused', withFfmpeg, async () => {
  await assert.rejects(run(await clip(), [{ adapter: videoThumbnail, options: { at: 10 } }]), { code: 'bad_options' })
})

test('a frame that is made a video again never becomes a file in between', withFfmpeg, async () => {
  const { output, entries } = await run(await clip(), [
    { adapter: videoThumbnail, options: { at: 1 } },
    { adapter: photoToVideo, options: { duration: 1 } },
  ])
  assert.equal((await look(output.path)).frames, 30)
  assert.equal(entries[0]!.facts?.bytes, 0)
  assert.ok(!entries[1]!.decisions.some(sentence => sentence.includes('one by one')))
})
