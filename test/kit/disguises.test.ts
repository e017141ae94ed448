// What a target says keeps no secret in any disguise, and what it ordinarily says stays as it is.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Json } from '#kit/json.ts'
import { MASK } from '#kit/mask.ts'
import { newRedaction } from '#kit/secret/redaction.ts'
import { disguises, isKept } from '../support/disguises.ts'

const secrets = [
  's3cr3t-Bearer-Token_0123456789abcd',
  'canary-bearer-0123456789',
  'correct horse battery staple',
  'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  '8f14e45fceea167a5a36dedd4bea2543',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJib290aCIsImlhdCI6MTUxNjIzOTAyMn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJVadQssw5c',
]

suite('a secret in disguise', () => {
  for (const secret of secrets)
    test(`"${secret}" is kept in none`, () => {
      const redaction = newRedaction([secret, 'another-secret-for-good-measure'])
      for (const [name, disguise] of Object.entries(disguises)) {
        const said = disguise(secret) as Json
        const answer = redaction.json({ id: 17, ok: true, you_sent: said })
        assert.ok(JSON.stringify(answer).includes(MASK), `${name}: ${JSON.stringify(answer)}`)
        const text = typeof said === 'string' ? said : JSON.stringify(said)
        for (const words of [text, `Not allowed with ${text} here`, JSON.stringify({ error: said })]) {
          const heard = redaction.heard(words, true)
          assert.ok(!isKept(said, heard), `${name}: ${heard} of ${words}`)
        }
      }
    })

  test('ordinary answers stay as they are', () => {
    const redaction = newRedaction([...secrets, 'booth-of-the-park', 'AKIDEXAMPLE0123456789'])
    const answers: Json[] = [
      { id: 17, url: 'https://cdn.example.com/photos/2026/11/15/photo_00017.jpg' },
      { id: '0190b2f4-7c1e-7a30-9a3e-5f0e1d2c3b4a', etag: '"d41d8cd98f00b204e9800998ecf8427e"', ok: true, next: null },
      {
        data: {
          album: { id: 'ph_8f3a2b9c1d', title: 'Sommerfest', owner: { name: 'Jürgen Groß' } },
          items: [{ n: 1 }],
        },
      },
      'Das Foto wurde gespeichert. Es erscheint in Kürze auf der Leinwand; viel Spaß beim Fest am 15.11.2026!',
      '写真を保存しました。ありがとうございます。',
      {
        created_at: '2026-11-15T23:10:23.123Z',
        updated_at: '2026-11-15T23:10:23+01:00',
        size: 5242880,
        ratio: 1.7777777777777777,
      },
      { sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', width: 4032, height: 3024 },
      { video_id: 'dQw4w9WgXcQ', url: 'https://www.youtube.com/watch?v=dQw4w9WgXcQ', privacy_status: 'unlisted' },
      {
        id: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
        drive: '1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs',
        charge: 'ch_3MmlLrLkdIwHu7ix0snN0B15',
      },
      { tags: ['summer', 'party', 'booth'], sizes: [320, 640, 1280], location: { lat: 48.137154, lon: 11.576124 } },
      {
        error: {
          code: 'InvalidAccessKeyId',
          message: 'The AWS Access Key Id you provided does not exist in our records.',
        },
      },
      'Server failed to authenticate the request. RequestId:1b2c3d4e-001e-0042-5a6b-7c8d9e000000 Time:2026-11-15T23:10:23.1234567Z',
      '550 5.7.1 <guest@park.example>: Recipient address rejected: Access denied. AS(201806281) [DB5EUR01FT011.eop-EUR01.prod.protection.outlook.com]',
      '535-5.7.8 Username and Password not accepted. For more information, go to https://support.google.com/mail/?p=BadCredentials ffacd0b85a97d-38b - gsmtp',
      { message: 'upstream connect error or disconnect/reset before headers. reset reason: overflow', status: 503 },
      { path: 'uploads/park/2026-11-15/0190b2f4-7c1e-7a30-9a3e-5f0e1d2c3b4a-0.jpg', mime: 'image/jpeg', bytes: 183412 },
      'OK',
      '',
      [],
      {},
    ]
    for (const answer of answers) {
      assert.deepEqual(redaction.json(answer), answer)
      if (typeof answer === 'string') assert.equal(redaction.heard(answer), answer)
    }
  })

  test('without a secret everything is kept', () => {
    const said = { bytes: [...Buffer.from(secrets[0] as string)], text: Buffer.from('a'.repeat(99)).toString('base64') }
    assert.deepEqual(newRedaction([]).json(said), said)
  })
})
