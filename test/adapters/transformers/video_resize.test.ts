import assert from 'node:assert/strict'
import { test } from 'node:test'
import { videoResize } from '#adapters/transformers/video_resize.ts'
import { videoAdapterContract } from '../../contract/video-adapter.ts'
import { clip, pixel, run, withFfmpeg } from '../../support/videos.ts'

videoAdapterContract(videoResize, { options: { aspect: '9:16' } })

const white = () => clip({ seconds: 1, pattern: 'color=c=white' })

test('one side or a shape is enough', withFfmpeg, async () => {
  const size = async (options: object): Promise<string> => {
    const { output } = await run(await white(), [{ adapter: videoResize, options: { ...options } }])
    return `${output.width}x${output.height}`
  }
  assert.deepEqual(
    [
      await size({ width: 160 }),
      await size({ height: 90 }),
      await size({ aspect: '9:16' }),
      await size({ aspect: '1:1', width: 100 }),
      await size({ width: 101, height: 51 }),
    ],
    ['160x90', '160x90', '180x320', '100x100', '102x52'],
  )
})

test('pad has bars in the colour, cover has none, blur_pad has the picture behind', withFfmpeg, async () => {
  const top = async (fit: string): Promise<number[]> => {
    const { output } = await run(await white(), [
      { adapter: videoResize, options: { aspect: '1:1', fit, background: '#cc3311' } },
    ])
    return pixel(output.path, 0.5, 160, 20)
  }
  const [r, g, b] = await top('pad')
  assert.ok(Math.abs(r! - 0xcc) < 5 && Math.abs(g! - 0x33) < 5 && Math.abs(b! - 0x11) < 5, `${r} ${g} ${b}`)
  assert.ok((await top('cover')).every(value => value > 250))
  assert.ok((await top('blur_pad')).every(value => value > 180 && value < 250))
})

test('without any size it says what is missing', withFfmpeg, async () => {
  await assert.rejects(run(await white(), [{ adapter: videoResize }]), { code: 'option_missing', entry: 0 })
})
