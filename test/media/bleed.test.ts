import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bleed } from '#media/pixels/bleed.ts'

/** Pixels of hexadecimal RGBA, a line each. */
const picture = (...lines: string[]): Buffer => Buffer.from(lines.join('').replaceAll(' ', ''), 'hex')

test('what nobody sees takes the colour of what is seen beside it, and stays unseen', () => {
  const data = picture('ff0000ff 00000000', '00000000 ff000080')
  bleed(data, 2, 2)
  assert.deepEqual(data, picture('ff0000ff ff000000', 'ff000000 ff000080'))
})

test('colours of what is seen never change, and far from it nothing does', () => {
  const data = picture(
    '102030ff 102030ff 00000000 00000000 00000000 00000000',
    '102030ff 102030ff 00000000 00000000 00000000 00000000',
  )
  bleed(data, 6, 2)
  assert.deepEqual(
    data,
    picture(
      '102030ff 102030ff 10203000 10203000 00000000 00000000',
      '102030ff 102030ff 10203000 10203000 00000000 00000000',
    ),
  )
})

test('odd sizes have half blocks at their edges', () => {
  const data = picture('00000000 00000000 0a0b0cff')
  bleed(data, 3, 1)
  assert.deepEqual(data, picture('0a0b0c00 0a0b0c00 0a0b0cff'))
})
