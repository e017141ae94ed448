import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { canMirror, mirror } from '#media/pixels/mirror.ts'
import { methods } from '#media/pixels/orientation.ts'
import { fromPixels, type Pixels, release, toPixels, turning } from '#media/pixels/pixels.ts'

const noise = (width: number, height: number, channels: 3 | 4): Pixels => ({
  data: randomBytes(width * height * channels),
  width,
  height,
  channels,
  depth: 8,
})

for (const method of ['FLIP_LEFT_RIGHT', 'ROTATE_180'] as const) {
  for (const channels of [3, 4] as const) {
    test(`${method} of ${channels} channels is what sharp makes, to the last bit`, async () => {
      for (const [width, height] of [
        [4, 1],
        [8, 3],
        [12, 5],
        [1632, 7],
      ] as const) {
        const pixels = noise(width, height, channels)
        const turn = methods[method]
        const expected = await toPixels(turning(fromPixels(pixels), turn), 8)
        const copy = { ...pixels, data: Buffer.from(pixels.data) }
        assert.ok(canMirror(copy, turn))
        mirror(copy, turn.y)
        assert.deepEqual(copy.data, expected.data, `${width} × ${height}`)
      }
    })
  }
}

test('other turns, and rows that do not fill whole words, are left to sharp', () => {
  assert.equal(canMirror({ width: 6, height: 4 }, methods.FLIP_LEFT_RIGHT), false)
  assert.equal(canMirror({ width: 8, height: 4 }, methods.FLIP_TOP_BOTTOM), false)
  assert.equal(canMirror({ width: 8, height: 4 }, methods.ROTATE_90), false)
  assert.equal(canMirror({ width: 8, height: 4 }, methods.TRANSVERSE), false)
})

test('pixels are given back at once, shared memory is left alone', () => {
  const own = { ...noise(2, 2, 4), data: Buffer.allocUnsafeSlow(16) }
  release(own)
  assert.equal(own.data.byteLength, 0)
  const pooled = { ...noise(2, 2, 4), data: Buffer.from('sixteen  bytes!!') }
  release(pooled)
  assert.equal(pooled.data.toString(), 'sixteen  bytes!!')
})
