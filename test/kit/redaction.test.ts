// Secrets are cut out of what others say: in every spelling, at every edge, in time that follows from the length.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Problem } from '#kit/errors.ts'
import { MASK } from '#kit/mask.ts'
import { newRedaction } from '#kit/secret/redaction.ts'
import { spellers } from '../support/leaks.ts'

const secrets = ['canarySecret0123456', 'canary-S\u00e9cret/+ 42&<"x\\y>', '\u{1f511}canary key\u{1f511}', 'pass']
const pem = `-----BEGIN PRIVATE KEY-----\n${'QUJDREVGR0hJSktMTU5PUFFSU1RVVldY\n'.repeat(8)}-----END PRIVATE KEY-----\n`

suite('redaction', () => {
  for (const secret of secrets)
    test(`"${secret}" is gone in every spelling, and what stands around it stays`, () => {
      const redaction = newRedaction([secret])
      for (const [name, spell] of Object.entries(spellers)) {
        // The case of letters counts in short ones, which are words too, and in letters that ASCII lacks.
        if (name === 'capital letters' && !/^[ -~]{8,}$/.test(secret)) continue
        const spelled = spell(secret)
        const text = redaction.text(`He said: ${spelled} is wrong.`)
        assert.match(text, /^He said: .*\*{8}.* is wrong\.$/s, name)
        const rest = text.replace(MASK, '')
        const inner = spelled.length > 8 ? spelled.slice(2, -2) : spelled
        assert.ok(!rest.includes(inner) && rest.length < 'He said:  is wrong.'.length + 40, `${name}: ${text}`)
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
    const { text } = newRedaction(['s3', 'abc', 'x'])
    assert.equal(
      text('s3 at s3.example for abcd and (abc), maxim, x=7'),
      `${MASK} at ${MASK}.example for abcd and (${MASK}), maxim, ${MASK}=7`,
    )
    assert.doesNotMatch(text(`Basic ${Buffer.from('u:abc').toString('base64')}`), /YWJj|phYm/)
    const prose =
      'The quick brown fox jumps over the lazy dog; delivered to the receiver in 12 parts of 5,242,880 bytes.'
    assert.equal(newRedaction(['a', 'e', '1', 'pw']).text(prose), prose)
  })

  test('ordinary sentences stay as they are', () => {
    const { text } = newRedaction(['canarySecret0123456', 'park', pem])
    const said =
      'storage.googleapis.com could not take the file just now (503): upstream connect error, reset reason: overflow'
    assert.equal(text(said), said)
  })

  test('a text that was cut in the middle of a secret shows no half of it', () => {
    for (const secret of secrets.filter(each => each.length > 8)) {
      const redaction = newRedaction([secret])
      for (const [name, spell] of Object.entries(spellers)) {
        if (name === 'capital letters') continue
        const whole = spell(secret)
        for (let length = Math.ceil(whole.length / 2); length < whole.length; length += 3) {
          const text = redaction.text(`He said: ${whole.slice(0, length)}`, true)
          assert.ok(text.includes(MASK), `${name} cut at ${length}: ${text}`)
        }
      }
    }
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
