import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contentRects } from '#media/pixels/content-rects.ts'

const [width, height] = [200, 120]

function picture(...blocks: [x: number, y: number, w: number, h: number][]): Buffer {
  const data = Buffer.alloc(width * height * 4)
  for (const [x, y, w, h] of blocks)
    for (let row = y; row < y + h; row++)
      for (let column = x; column < x + w; column++) data[(row * width + column) * 4 + 3] = 255
  return data
}

test('a logo is cut out, on even edges, with two empty columns and rows behind it', () => {
  assert.deepEqual(contentRects([picture([21, 31, 9, 7])], width, height), [
    { left: 20, top: 30, width: 12, height: 10 },
  ])
})

test('what lies far apart becomes parts of its own', () => {
  const rects = contentRects([picture([0, 0, 200, 10], [0, 100, 40, 20], [150, 100, 50, 20])], width, height)
  assert.deepEqual(rects, [
    { left: 0, top: 0, width: 200, height: 12 },
    { left: 0, top: 100, width: 42, height: 20 },
    { left: 150, top: 100, width: 50, height: 20 },
  ])
})

test('frames of an animation count together, an empty one has no part', () => {
  assert.deepEqual(contentRects([picture([0, 0, 2, 2]), picture([10, 0, 2, 2])], width, height), [
    { left: 0, top: 0, width: 14, height: 4 },
  ])
  assert.deepEqual(contentRects([picture()], width, height), [])
})
