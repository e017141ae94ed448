// A target can't make the service look long for secrets: twice the answer takes twice the time at most.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newRedaction } from '#kit/secret/redaction.ts'
import { growsFaster } from '../support/growth.ts'

test('looking takes a time that grows with the answer alone', async () => {
  const redaction = newRedaction(['s3cr3t-Bearer-Token_0123456789abcd', 'correct horse battery staple'])
  const grains = [
    'a',
    'The album is full. ',
    'YWFh',
    '97, ',
    '<',
    '"a":',
    '\u200b',
    's3cr3t-',
    '%2561',
    '\\u0061',
    '&#97;',
    '=61',
  ]
  for (const grain of grains)
    for (const work of [
      (text: string) => redaction.heard(text, true),
      (text: string) => redaction.json(text.match(/.{1,7}/gsu) ?? []),
    ])
      assert.equal(await growsFaster(work, size => grain.repeat(size / grain.length), 4096), null, grain)
})
