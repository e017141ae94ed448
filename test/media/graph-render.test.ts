import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silence } from '#media/graph/audio-ops.ts'
import { render } from '#media/graph/graph-render.ts'
import { cutTo, filter, joined, laidOver, plane, through } from '#media/graph/video-ops.ts'

const rate = { num: 30, den: 1 }
const options = { maxPixels: 1e6, threads: 1 }
const still = cutTo(plane('#ff0000', 64, 36, rate), 0, 30)

test('a value that could end itself is refused, whoever wrote it', () => {
  for (const text of ["a'b", 'a:b', 'a;b', '[a]', 'a\\b', '%{pts}', 'a\nb']) {
    const bad = through([still], [filter('drawtext', { text })])
    assert.throws(() => render({ video: bad, audio: null }, options), TypeError, text)
  }
})

test('what is used twice is split once', () => {
  const twice = laidOver(still, through([still], [filter('hflip')]), 0, 0)
  const { filters } = render({ video: twice, audio: null }, options)
  assert.equal(filters.split('split=2').length, 2)
})

test('the same part again and again is repeated from memory', () => {
  const { filters } = render({ video: joined([still, still, still]), audio: null }, options)
  assert.ok(filters.includes('loop=loop=2:size=30') && !filters.includes('concat'))
})

test('cuts of cuts are one cut', () => {
  const inner = cutTo(cutTo(still, 5, 25), 5, 10)
  assert.ok(inner.origin.kind === 'cut')
  assert.deepEqual(inner.origin.span, { from: 10, to: 15 })
})

test('silence needs no input', () => {
  const { inputs, filters } = render({ video: null, audio: silence(1) }, options)
  assert.equal(inputs.length, 0)
  assert.ok(filters.startsWith('anullsrc'))
})
