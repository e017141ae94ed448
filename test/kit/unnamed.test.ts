// What a person is known by goes from texts, and nothing else does.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { reachedAt, unnaming } from '#kit/guest/unnamed.ts'
import type { Json } from '#kit/json.ts'
import { MASK } from '#kit/mask.ts'

const ID = '0190b2f4-7c1e-7a30-9a3e-5f0e1d2c3b4a'
const unnamed = unnaming(['anna@x.org', 'A1', '+4915112345678', '4915112345678', '04A2B3C4', 'Nikos', 'ΝΙΚΟΣ', ID])

describe('a value goes wherever it stands as a whole', () => {
  test('encoded in the ways of programs', () => {
    const values = ['Ünal@x.org', 'JÖRG-77', "o'neil@x.org", 'ID 4711 A', 'Zoë-1']
    const unnamed = unnaming(values)
    const ways = [
      encodeURIComponent,
      encodeURI,
      (text: string) => `${new URL(`https://x.org/${text}`).pathname.slice(1)}`,
      (text: string) => `${new URLSearchParams({ q: text })}`.slice(2),
      (text: string) => text.normalize('NFD'),
      (text: string) => encodeURIComponent(text.normalize('NFD')),
    ]
    for (const value of values)
      for (const cased of [value, value.toLowerCase(), value.toUpperCase()])
        for (const way of ways) assert.equal(unnamed(`a/${way(cased)}.png`), `a/${MASK}.png`, way(cased))
  })

  const cases = {
    'in a text': {
      'anna@x.org': MASK,
      ' Anna@X.org ': MASK,
      'to anna@x.org.': `to ${MASK}.`,
      '<ANNA@x.org>, bob@x.org': `<${MASK}>, bob@x.org`,
      'anna@x.org anna@x.org': `${MASK} ${MASK}`,
      'İ anna@x.org': `İ ${MASK}`,
      'whatsapp:+4915112345678': `whatsapp:${MASK}`,
      '4915112345678@c.us': `${MASK}@c.us`,
      A1: MASK,
      'Hall A1': 'Hall A1',
    },
    'in the name of a file': {
      '04A2B3C4.png': `${MASK}.png`,
      'photos/04a2b3c4-1.jpg': `photos/${MASK}-1.jpg`,
      'photo-04A2B3C4+1.jpg': `photo-${MASK}+1.jpg`,
      'guest_04A2B3C4_1.jpg': `guest_${MASK}_1.jpg`,
      'out/anna@x.org.png': `out/${MASK}.png`,
      'anna@x.org.final.jpg': `${MASK}.final.jpg`,
      'anna@x.org-1': `${MASK}-1`,
      'guest_04A2B3C4@2x.png': `guest_${MASK}@2x.png`,
      [`${ID.toUpperCase()}.png`]: `${MASK}.png`,
      'νικος.png': `${MASK}.png`,
    },
    'in an address': {
      'https://x.org/?to=anna%40x.org&n=1': `https://x.org/?to=${MASK}&n=1`,
      'https://cdn/anna%40x.org.png': `https://cdn/${MASK}.png`,
      '?t=Hi%20anna%40x.org': `?t=Hi%20${MASK}`,
      '?t=Hi%2C.anna%40x.org': `?t=Hi%2C.${MASK}`,
      'mailto%3Aanna%40x.org': `mailto%3A${MASK}`,
      '?tag=%2304A2B3C4': `?tag=%23${MASK}`,
      '?tag=%2304A2B3C4%40c.us': `?tag=%23${MASK}%40c.us`,
    },
    'and not where it is a part of another': {
      'joanna@x.org': 'joanna@x.org',
      'jo.anna@x.org': 'jo.anna@x.org',
      'jo_anna@x.org': 'jo_anna@x.org',
      'jo+anna@x.org': 'jo+anna@x.org',
      'jo.anna%40x.org': 'jo.anna%40x.org',
      'anna@x.organic': 'anna@x.organic',
      'anna@y.org': 'anna@y.org',
      'anna@x.org.au': 'anna@x.org.au',
      'anna%40x.org.au': 'anna%40x.org.au',
      'bob.04A2B3C4@x.org': 'bob.04A2B3C4@x.org',
      'bob%40nikos.example': 'bob%40nikos.example',
      'nikos.berg@x.org': 'nikos.berg@x.org',
      'nikos@y.org': 'nikos@y.org',
      '04a2b3c4-7c1e-7a30-9a3e-5f0e1d2c3b4a': '04a2b3c4-7c1e-7a30-9a3e-5f0e1d2c3b4a',
      '+49151123456789': '+49151123456789',
      x04A2B3C4: 'x04A2B3C4',
      '04A2B3C45.png': '04A2B3C45.png',
      'Nikosia, Panikos': 'Nikosia, Panikos',
    },
  }
  for (const [where, texts] of Object.entries(cases))
    test(where, () => {
      for (const [text, left] of Object.entries(texts)) assert.equal(unnamed(text), left, text)
    })

  test('also where values overlap or one is the beginning of another', () => {
    const several = unnaming(['anna maria', 'maria berg', 'gate 1', 'gate 1 left', 'gate 1 left up'])
    assert.equal(several('for anna maria berg, at gate 1 left upper'), `for ${MASK}, at ${MASK} upper`)
    assert.equal(several('gate 1 leftover'), `${MASK} leftover`)
  })
})

test('what names nobody is the very same value, and of all else only what names the person changes', () => {
  const other = { to: ['bob@x.org'], width: 1920, deep: [{ ok: true, none: null }] }
  assert.equal(unnamed(other), other)
  assert.deepEqual(unnamed({ ...other, to: ['anna@x.org', 'bob@x.org'], deep: [{ code: 'A1' }] }), {
    to: [MASK, 'bob@x.org'],
    width: 1920,
    deep: [{ code: MASK }],
  })
  assert.equal(unnaming(['', ' '])('any text'), 'any text')
})

test('a number that is all of a value goes, also without the zeros in front, and a short one stays', () => {
  const unnamed = unnaming(['4915112345678', '00815123', '1080', '04E5'])
  const numbers = { phone: 4915112345678, tags: [815123, 8151231], width: 1080, other: 400_000, share: 0.12 }
  assert.deepEqual(unnamed(numbers as Json), { ...numbers, phone: MASK, tags: [MASK, 8151231] })
})

test('a key goes, and no value is lost where keys become the same', () => {
  const told = JSON.parse(
    `{"Anna@x.org": "queued", "anna@X.org": 2, "${MASK}": "secret", "to:anna@x.org": {"anna%40x.org": 3}, "__proto__": "anna@x.org", "bob@x.org": 4}`,
  )
  assert.equal(
    JSON.stringify(unnamed(told)),
    `{"${MASK} (2)":"queued","${MASK} (3)":2,"${MASK}":"secret","to:${MASK}":{"${MASK}":3},"__proto__":"${MASK}","bob@x.org":4}`,
  )
})

test('addresses and phone numbers are found among attributes, names and dates are not', () => {
  const attributes = {
    name: 'Anna',
    born: '1990-01-01',
    phone: '+49 (151) 1234-5678',
    more: [{ mail: 'anna@home.example' }, 'at @ all', 7],
    long: `anna@${'x'.repeat(400)}.example`,
  }
  assert.deepEqual(reachedAt(attributes), [
    '+49 (151) 1234-5678',
    '+4915112345678',
    '4915112345678',
    'anna@home.example',
  ])
})

test('of the addresses among attributes the first hundred count', () => {
  const found = reachedAt({ none: ['x', 'y'], many: Array.from({ length: 5_000 }, (_, n) => `anna${n}@x.org`) })
  assert.deepEqual([found.length, found[0], found.at(-1)], [100, 'anna0@x.org', 'anna99@x.org'])
})
