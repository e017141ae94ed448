// The window that follows faces: still where it can be, with the same people, never jumping, for any number of looks.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Path } from '#media/graph/video-ops.ts'
import { followFaces, type Look } from '#vision/follow-faces.ts'
import { random, seedOf } from '../support/seed.ts'

const frame = { width: 1280, height: 720 }
const upright = { width: 405, height: 720 }

const face = (left: number, side = 100) => ({ left, top: 200, width: side, height: side })

const every = (count: number, faces: (seconds: number) => ReturnType<typeof face>[]): Look[] =>
  Array.from({ length: count }, (_, i) => ({ at: i / 4, faces: faces(i / 4) }))

/** Where the window lies at a time. */
function at(path: Path, seconds: number): number {
  const next = path.findIndex(point => point.at > seconds)
  if (next === 0) return path[0]!.left
  if (next < 0) return path.at(-1)!.left
  const [from, to] = [path[next - 1]!, path[next]!]
  return from.left + ((to.left - from.left) * (seconds - from.at)) / (to.at - from.at)
}

const isWhole = (path: Path, seconds: number, { left, width }: { left: number; width: number }): boolean =>
  left >= at(path, seconds) - 1 && left + width <= at(path, seconds) + upright.width + 1

describe('the window that follows faces', () => {
  it('is nowhere where there is nobody', () => {
    assert.equal(
      followFaces(
        every(8, () => []),
        frame,
        upright,
      ),
      null,
    )
  })

  it('stands still while one place keeps them', () => {
    const path = followFaces(
      every(40, seconds => [face(800 + 30 * Math.sin(seconds))]),
      frame,
      upright,
    )!
    assert.equal(path.length, 1)
    assert.ok(Math.abs(path[0]!.left + upright.width / 2 - 850) < 60, String(path[0]!.left))
  })

  it('follows who walks through, whole and without a jump', () => {
    const walking = (seconds: number) => face(50 + 110 * seconds)
    const path = followFaces(
      every(40, seconds => [walking(seconds)]),
      frame,
      upright,
    )!
    assert.ok(path.length > 1 && path.length <= 40)
    for (let seconds = 0; seconds < 9.75; seconds += 0.05) {
      assert.ok(isWhole(path, seconds, walking(seconds)), `at ${seconds}`)
      assert.ok(Math.abs(at(path, seconds + 0.04) - at(path, seconds)) < 20, `a jump at ${seconds}`)
    }
  })

  it('stays with the one it shows while another comes and goes at the far side', () => {
    const path = followFaces(
      every(40, seconds => [face(100), ...(seconds > 4 && seconds < 5 ? [face(1100, 110)] : [])]),
      frame,
      upright,
    )!
    assert.ok(Array.from({ length: 40 }, (_, i) => i / 4).every(seconds => isWhole(path, seconds, face(100))))
  })

  it('goes over to the next one when the first has gone, and keeps its place through a gap', () => {
    const path = followFaces(
      every(48, seconds => (seconds < 4 ? [face(100)] : seconds < 6 ? [] : [face(1000)])),
      frame,
      upright,
    )!
    assert.ok(isWhole(path, 0, face(100)) && isWhole(path, 3, face(100)))
    assert.ok(isWhole(path, 7, face(1000)) && isWhole(path, 11, face(1000)))
  })

  it('is at once where another scene wants it, and moves calmly inside of each', () => {
    const walking = (seconds: number) => face(50 + 110 * seconds)
    const looks = every(48, seconds => (seconds < 5.12 ? [walking(seconds)] : seconds < 9 ? [face(100, 120)] : []))
    const path = followFaces(looks, frame, upright, [5.12, 9], 0.04)!
    for (let shown = 0; shown < 280; shown++) {
      const seconds = shown / 25
      const who = shown < 128 ? walking(seconds) : face(100, 120)
      assert.ok(isWhole(path, seconds, who), `frame ${shown}`)
      const moves = Math.abs(at(path, (shown + 1) / 25) - at(path, seconds))
      assert.ok(shown === 127 ? moves > 200 : moves < 20, `frame ${shown} moves by ${moves}`)
    }
  })

  it('stands still through all scenes where one place keeps all', () => {
    const looks = every(24, seconds => [face(seconds < 3 ? 600 : 640)])
    assert.equal(followFaces(looks, frame, upright, [3], 0.04)!.length, 1)
  })

  it('moves up and down in a video that is cut above and below', () => {
    const tall = { width: 720, height: 1280 }
    const path = followFaces([{ at: 0, faces: [{ left: 300, top: 1000, width: 100, height: 100 }] }], tall, {
      width: 720,
      height: 404,
    })!
    assert.ok(path[0]!.top <= 1000 && path[0]!.top + 404 >= 1100)
    assert.equal(path[0]!.left, 0)
  })

  it('stays inside of the frame in few steps, for any faces', t => {
    const next = random(seedOf(t, 7))
    for (let round = 0; round < 20; round++) {
      const looks = every(160, () =>
        Array.from({ length: Math.floor(next() * 30) }, () => face(next() * 1180, 20 + next() * 200)),
      )
      const cuts = Array.from({ length: round % 10 }, (_, i) => 3 * (i + 1) + next())
      const path = followFaces(looks, frame, upright, cuts)
      for (const [i, point] of (path ?? []).entries()) assert.ok(i === 0 || point.at > path![i - 1]!.at)
      for (const point of path ?? [])
        assert.ok(point.left >= 0 && point.left <= frame.width - upright.width && point.top === 0)
      assert.ok((path?.length ?? 1) <= 40)
    }
  })
})
