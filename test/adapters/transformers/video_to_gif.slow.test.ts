import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import sharp from 'sharp'
import { videoToGif } from '#adapters/transformers/video_to_gif.ts'
import { videoAdapterContract } from '../../contract/video-adapter.ts'
import { clip, fresh, run, tools, withFfmpeg } from '../../support/videos.ts'

videoAdapterContract(videoToGif, { options: { duration: 0.5 } })

test('both formats have the frames, the rate and the width asked for', withFfmpeg, async () => {
  for (const format of ['gif', 'webp']) {
    const { output } = await run(await clip(), [
      { adapter: videoToGif, options: { start: 0.5, duration: 1, fps: 10, width: 160, format } },
    ])
    const meta = await sharp(output.path, { animated: true }).metadata()
    assert.equal(output.mime, `image/${format}`)
    assert.deepEqual([output.width, output.height, meta.pages, meta.loop], [160, 90, 10, 0])
    assert.ok(meta.delay!.every(delay => Math.abs(delay - 100) <= 10))
  }
})

test('it is never wider than asked for', withFfmpeg, async () => {
  for (const [width, made] of [
    [151, 150],
    [150, 150],
    [17, 16],
    [480, 320],
  ] as const) {
    const { output } = await run(await clip(), [{ adapter: videoToGif, options: { duration: 0.2, width } }])
    assert.equal(output.width, made, `${width}`)
  }
})

test('colours are those of the video', withFfmpeg, async () => {
  const { output } = await run(
    await clip({
      pattern: 'color=c=0x3366cc',
      args: [
        '-vf',
        'format=gbrp,scale=out_color_matrix=bt709',
        '-pix_fmt',
        'yuv420p',
        '-colorspace',
        'bt709',
        '-color_primaries',
        'bt709',
        '-color_trc',
        'bt709',
      ],
    }),
    [{ adapter: videoToGif, options: { duration: 0.5 } }],
  )
  const [r, g, b] = await sharp(output.path).removeAlpha().raw().toBuffer()
  assert.ok(Math.abs(r! - 0x33) < 8 && Math.abs(g! - 0x66) < 8 && Math.abs(b! - 0xcc) < 8, `${r} ${g} ${b}`)
})

test('it gets smaller until it fits, and gives up with a sentence', withFfmpeg, async () => {
  const { output, entries } = await run(await clip(), [
    { adapter: videoToGif, options: { duration: 1, max_bytes: 30_000 } },
  ])
  assert.ok(output.bytes <= 30_000)
  assert.equal(entries[0]!.decisions.length, 1)
  const noise = await clip({
    pattern: 'nullsrc',
    seconds: 1,
    tone: null,
    args: ['-vf', 'geq=random(1)*255:128:128', '-c:v', 'libx264', '-pix_fmt', 'yuv420p'],
  })
  await assert.rejects(run(noise, [{ adapter: videoToGif, options: { duration: 1, max_bytes: 10_000 } }]), {
    code: 'output_too_large',
  })
})

test('what cannot fit by far is not tried in every size', withFfmpeg, async () => {
  const noise = await clip({
    pattern: 'nullsrc',
    seconds: 1,
    tone: null,
    args: ['-vf', 'geq=random(1)*255:128:128', '-c:v', 'libx264', '-pix_fmt', 'yuv420p'],
  })
  const [counter, counted] = [fresh('.sh'), fresh()]
  await writeFile(counter, `#!/bin/sh\necho >> ${counted}\nexec ${tools.ffmpeg} "$@"\n`, { mode: 0o755 })
  const wish = { adapter: videoToGif, options: { duration: 1, max_bytes: 10_000 } }
  const over = { tools: { ffmpeg: counter, bwrap: null, prlimit: null } }
  await assert.rejects(run(noise, [wish], over), { code: 'output_too_large' })
  assert.equal((await readFile(counted, 'utf8')).length, 2)
})
