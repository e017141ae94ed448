// What of a destination's words is cleaned: everything the target may have said, nothing of what was made from options.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emailSend } from '#adapters/destinations/email_send.ts'
import { gcsUpload } from '#adapters/destinations/gcs_upload.ts'
import { httpPost } from '#adapters/destinations/http_post.ts'
import { s3Upload } from '#adapters/destinations/s3_upload.ts'
import type { Adapter } from '#engine/adapter.ts'
import { redactStep } from '#engine/redact-step.ts'
import type { JsonObject } from '#kit/json.ts'
import { MASK } from '#kit/mask.ts'
import { newOutbound } from '#kit/net/outbound.ts'
import { newRolls } from '../support/delivery.ts'
import { startReceiver } from '../support/https-receiver.ts'

const about = (adapter: Adapter, auth: JsonObject, options: JsonObject = {}) => {
  const heard: string[] = []
  const told = redactStep(adapter, {
    options,
    auth,
    experienceId: 'park',
    timeZone: async () => null,
    places: { owner: async () => null, take: async () => {} },
    rolls: newRolls(),
    picture: async file => file,
    context: {},
    assets: () => [],
    outbound: newOutbound({ allowHosts: ['127.0.0.1'] }),
    marker: 'm',
    checkpoint: null,
    save: async () => {},
    signal: new AbortController().signal,
    progress: () => {},
    decide: sentence => void heard.push(sentence),
    warn: sentence => void heard.push(sentence),
  })
  return { ...told, heard }
}

test('results that are made of options stay whole, though a secret may be a word of them', () => {
  const { result, step, heard } = about(s3Upload, { access_key: 'minio', secret_key: 'souvenirs' })
  const delivered = { bucket_name: 'souvenirs', file_key: 'minio/x.jpg', url: 'https://s3.example/souvenirs?k=minio' }
  assert.deepEqual(result(delivered), delivered)
  assert.deepEqual(result({ ...delivered, said: 'souvenirs' }), { ...delivered, said: MASK })
  step.warn('The store said souvenirs')
  step.decide('minio')
  assert.deepEqual(heard, [`The store said ${MASK}`, MASK])
})

test('what anybody knows is shown; a name is not, unless the options show it', () => {
  const auth = {
    host: 'smtp.park.example',
    username: 'booth@park.example',
    password: 'pass-word',
    from: 'booth@park.example',
  }
  const { line } = about(emailSend, auth)
  const said = 'smtp.park.example takes messages from booth@park.example with pass-word'
  assert.equal(
    line({ ok: true, what: 'x', detail: said }).detail,
    `${MASK} takes messages from booth@park.example with ${MASK}`,
  )
  const google = about(gcsUpload, {
    client_email: 'a@b.example',
    private_key: 'the-key',
    universe_domain: 'googleapis.com',
  })
  assert.equal(
    google.step.clean('storage.googleapis.com: the-key of a@b.example'),
    `storage.googleapis.com: ${MASK} of a@b.example`,
  )
  const post = { username: 'booth', password: 'pass-word' }
  assert.equal(about(httpPost, post).step.clean('booth is barred'), `${MASK} is barred`)
  assert.equal(
    about(httpPost, post, { url: 'https://booth.example/' }).step.clean('booth is barred'),
    'booth is barred',
  )
})

test('what proves who we are is a secret from the moment it is sent', async () => {
  const receiver = await startReceiver()
  const { step } = about(s3Upload, { access_key: 'key', secret_key: 'other' })
  const authorization = 'AWS4-HMAC-SHA256 Credential=AKIA/2026/s3, SignedHeaders=host, Signature=0123456789abcdef'
  await step.outbound.request(`${receiver.url}/?sig=sig-of-the-query&x=visible`, { headers: { authorization } })
  await step.outbound.repeatable(`${receiver.url}/`, {
    method: 'POST',
    body: '',
    headers: { Authorization: 'SharedKey park:c2lnbmF0dXJl' },
  })
  step.conceal('token-on-the-way')
  const said = `${authorization} sig-of-the-query visible c2lnbmF0dXJl token-on-the-way`
  assert.equal(step.clean(said), `AWS4-HMAC-SHA256 ${MASK} ${MASK} visible ${MASK} ${MASK}`)
  await step.outbound.request(`${receiver.url}/`, { headers: { authorization: `Basic ${btoa('booth:oXq7')}` } })
  assert.equal(step.clean('as booth:oXq7 with Ym9vdGg6b1hxNw=='), `as ${MASK} with ${MASK}`)
  await step.outbound.close()
  await receiver.stop()
})
