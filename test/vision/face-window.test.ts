// The window around faces: as many whole as any window could keep, none cut without need, heads with their hair.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Rect, Size } from '#media/file/geometry.ts'
import { faceWindow } from '#vision/face-window.ts'
import { merged, tilesOf } from '#vision/faces.ts'
import { random } from '../support/seed.ts'

const face = (left: number, top: number, side: number): Rect => ({ left, top, width: side, height: side })

const isWhole = ({ left, top, width, height }: Rect, at: { left: number; top: number }, size: Size): boolean =>
  left >= at.left - 0.5 &&
  top >= at.top - 0.5 &&
  left + width <= at.left + size.width + 0.5 &&
  top + height <= at.top + size.height + 0.5

const kept = (faces: readonly Rect[], at: { left: number; top: number }, size: Size): number =>
  faces.filter(each => isWhole(each, at, size)).length

describe('the window around faces', () => {
  it('has one face in its middle, with room for hair above', () => {
    const picture = { width: 2000, height: 1000 }
    const at = faceWindow([face(1400, 300, 200)], picture, { width: 800, height: 1000 })
    assert.deepEqual(at, { left: 1100, top: 0 })
  })

  it('keeps the two that fit, not the one between', () => {
    const faces = [face(100, 400, 100), face(1000, 400, 100), face(1300, 400, 100)]
    const at = faceWindow(faces, { width: 1600, height: 900 }, { width: 600, height: 900 })
    assert.equal(kept(faces, at, { width: 600, height: 900 }), 2)
    assert.ok(at.left > 800)
  })

  it('stays inside of the picture, and shows most of a face that is larger than it', () => {
    const at = faceWindow([face(0, 0, 900)], { width: 1000, height: 1000 }, { width: 300, height: 300 })
    assert.ok(at.left >= 0 && at.left <= 600 && at.top >= 0 && at.top <= 600, JSON.stringify(at))
  })

  it('prefers who is in front to a crowd behind', () => {
    const crowd = Array.from({ length: 12 }, (_, i) => face(1500 + (i % 6) * 60, 100 + Math.floor(i / 6) * 80, 40))
    const at = faceWindow([face(200, 300, 220), ...crowd], { width: 2000, height: 1000 }, { width: 700, height: 1000 })
    assert.ok(at.left <= 200, JSON.stringify(at))
  })

  it('keeps as many as the best of all windows, for any faces', () => {
    const next = random(11)
    let [best, ours] = [0, 0]
    for (let round = 0; round < 150; round++) {
      const picture = { width: 300, height: 200 }
      const count = 1 + Math.floor(next() * 8)
      const faces = Array.from({ length: count }, () => {
        const side = 14 + Math.floor(next() * 12)
        return face(Math.floor(next() * (300 - side)), Math.floor(next() * (200 - side)), side)
      })
      const size = next() < 0.5 ? { width: 120, height: 200 } : { width: 300, height: 90 }
      const at = faceWindow(faces, picture, size)
      assert.ok(at.left >= 0 && at.top >= 0 && at.left + size.width <= 300 && at.top + size.height <= 200)
      let most = 0
      for (let left = 0; left <= 300 - size.width; left++)
        for (let top = 0; top <= 200 - size.height; top++) most = Math.max(most, kept(faces, { left, top }, size))
      best += most
      ours += kept(faces, at, size)
    }
    assert.equal(ours, best)
  })

  it('looks at each face of a crowd no more often than there are windows to weigh', () => {
    const next = random(12)
    const crowd = Array.from({ length: 100 }, () => face(next() * 3800, next() * 2800, 60))
    let looks = 0
    const counted = {
      ...face(1000, 1000, 60),
      get left() {
        looks++
        return 1000
      },
    }
    faceWindow([counted, ...crowd], { width: 4000, height: 3000 }, { width: 1500, height: 1500 })
    assert.ok(looks < 4 * 90 ** 2, `${looks} looks`)
  })
})

describe('tiles', () => {
  it('cover the picture, overlap, and are never more than can be looked at', () => {
    for (const [width, height] of [
      [1600, 1067],
      [1600, 40],
      [40, 1600],
      [768, 768],
      [1, 1],
      [1600, 1600],
    ] as const) {
      const tiles = tilesOf({ width, height }, 320)
      assert.ok(tiles.length <= 48)
      for (const tile of tiles)
        assert.ok(
          tile.left >= 0 && tile.top >= 0 && tile.left + tile.width <= width && tile.top + tile.height <= height,
        )
      if (tiles.length === 0) continue
      assert.equal(Math.max(...tiles.map(({ left, width }) => left + width)), width)
      assert.equal(Math.max(...tiles.map(({ top, height }) => top + height)), height)
    }
  })

  it('one face that two of them show is one face', () => {
    const found = merged([
      { ...face(100, 100, 50), score: 0.9 },
      { ...face(104, 98, 48), score: 0.7 },
      { ...face(300, 100, 50), score: 0.8 },
    ])
    assert.equal(found.length, 2)
  })
})
