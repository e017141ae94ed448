// Secrets are cut out of what others say: in every spelling, at every edge, and nothing else is.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Problem } from '#kit/errors.ts'
import type { Json } from '#kit/json.ts'
import { MASK } from '#kit/mask.ts'
import { newRedaction } from '#kit/secret/redaction.ts'
import { spellers } from '../support/leaks.ts'

const secrets = ['canarySecret0123456', 'canary-S\u00e9cret/+ 42&<"x\\y>', '\u{1f511}canary key\u{1f511}', 'password']
const pem = `-----BEGIN PRIVATE KEY-----\n${'QUJDREVGR0hJSktMTU5PUFFSU1RVVldY\n'.repeat(8)}-----END PRIVATE KEY-----\n`

suite('redaction', () => {
  for (const secret of secrets)
    test(`"${secret}" is gone in every spelling, and what stands around it stays`, () => {
      const redaction = newRedaction([secret])
      for (const [name, spell] of Object.entries(spellers)) {
        const spelled = spell(secret)
        const text = redaction.text(`He said: ${spelled} is wrong.`)
        assert.match(text, /^He said: .*\*{8}.* is wrong\.$/s, name)
        const isShort = text.length < `He said: ${MASK} is wrong.`.length + 32
        assert.ok(isShort && !text.includes(spelled.slice(2, -2)), `${name}: ${text}`)
      }
    })

  test('a key in lines is found in one line, as JSON, and without its frame', () => {
    const { text } = newRedaction([pem])
    for (const said of [
      pem,
      pem.replaceAll('\n', ' '),
      JSON.stringify(pem),
      pem.replaceAll('\n', '\r\n'),
      pem.split('-----')[2],
    ])
      assert.doesNotMatch(text(`No: ${said}`), /QUJDRE/)
    // A key file has its line ends written as two signs.
    assert.doesNotMatch(newRedaction([pem.replaceAll('\n', '\\n')]).text(pem), /QUJDRE/)
  })

  test('short ones count only where they stand alone', () => {
    const { text } = newRedaction(['s3', 'park', 'x'])
    assert.equal(
      text('s3 at s3.example for parked and (park), maxim, x=7, \u00e9x'),
      `${MASK} at ${MASK}.example for parked and (${MASK}), maxim, ${MASK}=7, \u00e9x`,
    )
  })

  test('a secret goes with all of a longer one that it begins', () => {
    const { text } = newRedaction(['booth-of-the-park', 'booth-of-the-park:its-password'])
    assert.equal(text('as booth-of-the-park:its-password and booth-of-the-park'), `as ${MASK} and ${MASK}`)
  })

  test('ordinary answers stay as they came', () => {
    const redaction = newRedaction([...secrets, pem])
    const answers: Json[] = [
      {
        url: `https://park.s3.example/x?X-Amz-Credential=AKIAOTHER%2F20261115&X-Amz-Signature=${'0f1e2d3c'.repeat(8)}`,
        share: 'https://park.sharepoint.example/:i:/g/EYr3Wl1xqPZNpQb0m6sRk2kBzV0yTnJ8cW5dF4hG7uLxAq?e=4%3aa1b2c3',
        jwt: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJib290aCIsImlhdCI6MTUxNjIzOTAyMn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJVadQ',
      },
      { box: [48.137154, 11.576124, 48.137154, 11.577124, 48.138154, 11.577124, 48.138154, 11.576124] },
      { icon: `data:image/png;base64,${Buffer.from('a small picture of the park').toString('base64')}` },
      'ok -------------------------------- 1 2 3 4 5 6 7 8 9 10',
      '\u5199\u771f\u3092\u4fdd\u5b58\u3057\u307e\u3057\u305f\u3002',
      null,
    ]
    for (const answer of answers) assert.deepEqual(redaction.json(answer), answer)
  })

  test('a text is looked at before it is cut, so no half of a secret is left', () => {
    for (const secret of secrets) {
      const redaction = newRedaction([secret])
      for (const [name, spell] of Object.entries(spellers)) {
        const said = `He said: ${spell(secret)} and more`
        const clean = redaction.text(said)
        for (let most = 0; most <= said.length; most++)
          assert.ok(clean.startsWith(redaction.text(said, most)), `${name} cut at ${most}`)
      }
    }
    assert.equal(newRedaction([]).text('abcdef', 3), 'abc')
  })

  test('keys, numbers and lists of an answer are looked through', () => {
    const redaction = newRedaction(['canarySecret0123456', '8675309'])
    assert.deepEqual(
      redaction.json({
        n: 8675309,
        m: 7,
        list: ['a', { canarySecret0123456: ['Bearer canarySecret0123456', null, true] }],
      }),
      { n: MASK, m: 7, list: ['a', { [MASK]: [`Bearer ${MASK}`, null, true] }] },
    )
  })

  test('of an error its words, fields, stack and cause are clean, and a Problem stays one', () => {
    const cause = Object.assign(new Error('sent canarySecret0123456'), { response: 'canarySecret0123456' })
    const problem = new Problem('destination_quota', 'no canarySecret0123456', {
      retryAfterSeconds: 7,
      errors: [{ field: 'a', message: 'canarySecret0123456', kind: 'wrong' }],
      cause,
    })
    const clean = newRedaction(['canarySecret0123456']).error(problem) as Problem
    assert.deepEqual([clean.code, clean.message, clean.retryAfterSeconds], ['destination_quota', `no ${MASK}`, 7])
    assert.deepEqual(clean.errors, [{ field: 'a', message: MASK, kind: 'wrong' }])
    const shown = (error: Error) => `${error.stack} ${JSON.stringify(error)} ${error.message}`
    assert.doesNotMatch(shown(clean) + shown(clean.cause as Error), /canary/)
    assert.match(String((clean.cause as Error).stack), /redaction\.test/, 'where it came from is kept')
  })

  test('what comes up on the way is a secret from then on, the latest of it', () => {
    const redaction = newRedaction([])
    assert.equal(redaction.text('token-on-the-way'), 'token-on-the-way')
    for (let i = 0; i < 100; i++) redaction.add(`signature-number-${i}`)
    redaction.add('token-on-the-way')
    redaction.add('token-on-the-way')
    assert.equal(redaction.text('a token-on-the-way'), `a ${MASK}`)
    assert.equal(redaction.text('signature-number-99'), MASK)
  })
})
