// People of real photos are cut out whole, and nothing of labelled background stays.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Rect, Size } from '#media/file/geometry.ts'
import { Picture } from '#media/picture/picture.ts'
import { cutPeople } from '#vision/cutout.ts'
import { alphaReader } from '#vision/matte.ts'
import { coverage } from '#vision/people-mask.ts'
import { noPhotos, photos } from '../support/people.ts'
import { fileOf, limits } from '../support/pictures.ts'

/** As photo_cutout has it by default. */
const SOFTNESS = 0.5

function meanIn(alpha: Float32Array, { width }: Size, box: Rect): number {
  let [sum, count] = [0, 0]
  for (let y = Math.ceil(box.top); y < Math.floor(box.top + box.height); y++)
    for (let x = Math.ceil(box.left); x < Math.floor(box.left + box.width); x++) {
      sum += alpha[y * width + x]!
      count++
    }
  return sum / count
}

describe('the alpha of people in photos', { skip: noPhotos }, () => {
  for (const { path, width, faces, profile, grounds } of photos)
    it(`is at least 0.9 in every face of ${path.split('/').at(-1)}, and at most 0.05 where nobody is`, async t => {
      const cut = await cutPeople(await Picture.open(await fileOf(path), limits), false)
      const { small, matte } = cut
      const read = alphaReader(matte, small, SOFTNESS)
      const alpha = new Float32Array(small.width * small.height)
      for (let y = 0; y < small.height; y++) read(y, alpha.subarray(y * small.width, (y + 1) * small.width))
      // In the oval that a face fills: the corners of its box are background, and more of it where it is turned.
      const mask = { width: small.width, height: small.height, alpha: Uint8Array.from(alpha, value => value * 255) }
      const factor = small.width / width
      const scaled = (left: number, top: number, right: number, bottom: number): Rect => ({
        left: left * factor,
        top: top * factor,
        width: (right - left) * factor,
        height: (bottom - top) * factor,
      })
      assert.equal(cut.faces.length, faces.length)
      for (const { left, top, width, height } of cut.faces) {
        const isProfile = profile && profile[0] > left && profile[2] < left + width
        const mean = isProfile
          ? meanIn(alpha, small, scaled(...profile))
          : coverage(mask, scaled(left, top, left + width, top + height))
        t.diagnostic(`a face at ${left}, ${top}: ${mean.toFixed(3)}`)
        assert.ok(mean >= 0.9, `a face at ${left}, ${top}: ${mean}`)
      }
      for (const ground of grounds) {
        const mean = meanIn(alpha, small, scaled(...ground))
        t.diagnostic(`nobody at ${ground}: ${mean.toFixed(3)}`)
        assert.ok(mean <= 0.05, `nobody at ${ground}: ${mean}`)
      }
    })
})
