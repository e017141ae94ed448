// Nobody can make the service look long for names: twice the text and twice the values take twice the time at most.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { unnaming } from '#kit/guest/unnamed.ts'
import { growsFaster } from '../support/growth.ts'

describe('twice the text and twice the values take twice the time at most', () => {
  const most = 128 * 1024
  const longest = 256
  const poisons: Record<string, [value: (n: number) => string, text: (size: number) => string]> = {
    'values that fit nearly to their end': [n => `${'a '.repeat(longest / 2 - 4)}${n}`, size => 'a '.repeat(size / 2)],
    'values within values': [n => 'a '.repeat(2 + (n % 16)).trim(), size => 'a '.repeat(size / 2)],
    'values that end in the middle of a word': [n => `${'a'.repeat(longest - 8)}${n}`, size => 'a'.repeat(size)],
    'values in addresses and ids': [n => `a.a${n}`, size => 'a.a1.a.a2@'.repeat(size / 10)],
    'values that are there': [n => `guest-${n}`, size => 'guest-1 guest-2x '.repeat(size / 17)],
  }
  for (const [name, [value, text]] of Object.entries(poisons))
    test(name, async () => {
      const work = (input: string) =>
        unnaming(Array.from({ length: input.length / longest }, (_, n) => value(n)))(input)
      assert.equal(await growsFaster(work, text, most), null)
    })

  test('keys that become the same', async () => {
    const name = 'annabellamariaberg'
    const unnamed = unnaming([name])
    const spelled = (n: number) => [...name].map((c, at) => ((n >> at) & 1 ? c.toUpperCase() : c)).join('')
    const keys = (size: number) => JSON.stringify(Array.from({ length: size / 32 }, (_, n) => spelled(n)))
    const work = (input: string) => unnamed(Object.fromEntries((JSON.parse(input) as string[]).map(key => [key, 1])))
    assert.equal(Object.keys(work(keys(32_000))).length, 1_000)
    assert.equal(await growsFaster(work, keys, 4 * most), null)
  })
})
