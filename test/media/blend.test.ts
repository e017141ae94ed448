// The tables of 8 bits say the same as the formulas that draw on 16.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { blends, drawLayer, layerOf } from '#media/pixels/blend.ts'
import { type Pixels, words } from '#media/pixels/pixels.ts'
import { pattern } from '../support/pictures.ts'

const SIZE = { width: 64, height: 48 }

const eight = (channels: 3 | 4, seed: number): Pixels => ({
  ...SIZE,
  channels,
  depth: 8,
  data: Buffer.from(pattern(SIZE.width, SIZE.height, channels, seed).data),
})

function sixteen(pixels: Pixels): Pixels {
  const wide: Pixels = { ...pixels, depth: 16, data: Buffer.alloc(pixels.data.length * 2) }
  words(wide).set(Uint16Array.from(pixels.data, byte => byte * 257))
  return wide
}

describe('blending on 8 bits', () => {
  for (const blend of blends.filter(name => name !== 'over'))
    it(`${blend} is what it is on 16 bits, whatever lets through`, () => {
      const over = layerOf(eight(4, 9))
      for (const channels of [3, 4] as const)
        for (const opacity of [1, 0.4]) {
          const base = eight(channels, 5)
          const exact = sixteen(base)
          drawLayer(base, over, { left: 3, top: -2, blend, opacity })
          drawLayer(exact, over, { left: 3, top: -2, blend, opacity })
          const far = base.data.findIndex((byte, i) => Math.abs(byte - words(exact)[i]! / 257) > 0.51)
          assert.equal(far, -1, `${channels} channels, opacity ${opacity}, byte ${far}`)
        }
    })
})
