// Options and credentials that a target is bound to refuse, or that its library can't even send: a 400 that names them.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'

const s3 = { bucket_name: 'souvenirs', bucket_url: 'https://s3.example.com' }
const keys = { access_key: 'AK', secret_key: 'SK' }
const google = { client_id: 'a', client_secret: 'b', refresh_token: 'c' }
const account = { account_name: 'booth', account_key: 'AAAA' }
const good: Record<string, { auth: object; defaults: object }> = {
  s3_upload: { auth: keys, defaults: s3 },
  http_post: { auth: {}, defaults: { url: 'https://hooks.example.com/' } },
  gcs_upload: { auth: { client_email: 'a@b.c', private_key: 'x' }, defaults: { bucket_name: 'souvenirs' } },
  azure_blob_upload: { auth: account, defaults: { container_name: 'souvenirs' } },
  youtube_upload: { auth: google, defaults: { title: 'Hello' } },
  sftp_upload: { auth: { username: 'a', password: 'b' }, defaults: { host: 'files.example.com' } },
  email_send: { auth: { host: 'mail.example.com', from: 'a@example.com' }, defaults: { subject: 'Hello' } },
}

const long = 'x'.repeat(1500)
const wrong: [adapter: string, defaults: object, field: string][] = [
  ['s3_upload', { metadata: { 'a b': 'x' } }, 'metadata'],
  ['s3_upload', { metadata: { 'a:b': 'x' } }, 'metadata'],
  ['s3_upload', { metadata: { 'a\n': 'x' } }, 'metadata'],
  ['s3_upload', { metadata: { '': 'x' } }, 'metadata'],
  ['s3_upload', { metadata: { ['x'.repeat(129)]: 'x' } }, 'metadata'],
  ['s3_upload', { metadata: { ü: 'x' } }, 'metadata'],
  ['s3_upload', { metadata: { 'a b': 5 } }, 'metadata'],
  ['s3_upload', { metadata: { a: 5 } }, 'metadata.a'],
  ['s3_upload', { metadata: { a: null } }, 'metadata.a'],
  ['s3_upload', { metadata: { a: {} } }, 'metadata.a'],
  ['s3_upload', { metadata: { a: [] } }, 'metadata.a'],
  ['s3_upload', { metadata: { toString: 5 } }, 'metadata.toString'],
  ['s3_upload', { metadata: 'x' }, 'metadata'],
  ['s3_upload', { metadata: { a: long, b: long } }, 'metadata'],
  ['s3_upload', { metadata: { a: 'ü'.repeat(1500) } }, 'metadata'],
  ['s3_upload', { metadata: { a: 'x', A: 'y' } }, 'metadata'],
  ['s3_upload', { bucket_name: 'a b c' }, 'bucket_name'],
  ['s3_upload', { bucket_name: 'a/../b' }, 'bucket_name'],
  ['s3_upload', { bucket_name: 'büro' }, 'bucket_name'],
  ['s3_upload', { bucket_url: 'https://a b' }, 'bucket_url'],
  ['s3_upload', { bucket_url: 'https://s3.example.com/?x=' }, 'bucket_url'],
  ['s3_upload', { region: 'eu\n' }, 'region'],
  ['s3_upload', { region: 'a/b' }, 'region'],
  ['s3_upload', { region: 'x.example.com' }, 'region'],
  ['s3_upload', { cache_control: 'a\nb' }, 'cache_control'],
  ['s3_upload', { cache_control: ' a' }, 'cache_control'],
  ['gcs_upload', { cache_control: 'ü' }, 'cache_control'],
  ['azure_blob_upload', { cache_control: 'a ' }, 'cache_control'],
  ['http_post', { headers: { 'a b': 5 } }, 'headers'],
  ['http_post', { headers: { 'x-a': 5 } }, 'headers.x-a'],
  ['http_post', { headers: { 'x-a': '1', 'X-A': '2' } }, 'headers'],
  ['http_post', { headers: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`x-${i}`, ''])) }, 'headers'],
  ['http_post', { fields: { '': 'x' } }, 'fields'],
  ['http_post', { fields: { 'a\nb': 5 } }, 'fields.a\nb'],
  ['http_post', { fields: { [`\n${'x'.repeat(200)}`]: 'x' } }, 'fields'],
  ['youtube_upload', { tags: Array(6).fill('x'.repeat(90)) }, 'tags'],
  ['youtube_upload', { tags: [5] }, 'tags[0]'],
  ['sftp_upload', { path: 'a\nb' }, 'path'],
]

const wrongAuth: [adapter: string, auth: object, field: string][] = [
  ['s3_upload', { ...keys, access_key: 'a\nb' }, 'access_key'],
  ['s3_upload', { ...keys, access_key: 'ü' }, 'access_key'],
  ['s3_upload', { ...keys, session_token: 'a b' }, 'session_token'],
  ['azure_blob_upload', { account_name: 'booth', sas_token: 'a\nb' }, 'sas_token'],
  ['azure_blob_upload', { account_name: 'booth', sas_token: 'ü' }, 'sas_token'],
  ['http_post', { bearer: 'a\nb' }, 'bearer'],
]

describe('what a target is bound to refuse', () => {
  let keepsake: Keepsake
  let data: Blob

  before(async () => {
    keepsake = await startKeepsake({ settings: { allowHosts: ['127.0.0.1'] } })
    data = new Blob([new Uint8Array(await png(pattern(9, 5, 3)))])
    for (const [name, adapter_config] of Object.entries(good))
      await keepsake.configure(single(name, name, {}, { adapter_config }))
  })
  after(() => keepsake.stop())

  const made = (adapter: string, config: object) =>
    keepsake.client.post('/api/configuration/', single('new', adapter, {}, { adapter_config: config }))

  for (const [adapter, options, field] of wrong)
    it(`${adapter} ${JSON.stringify(options).slice(0, 80)} is refused`, async () => {
      const { auth, defaults } = good[adapter]!
      const { status, body } = await made(adapter, { auth, defaults: { ...defaults, ...options } })
      const expected = [400, 'bad_options', `adapter_config.defaults.${field}`]
      assert.deepEqual([status, body.code, body.errors?.[0]?.field], expected, JSON.stringify(body))
      const extras = JSON.stringify(options)
      const task = await keepsake.send('/api/task/', { configuration_name: adapter, data, extras })
      assert.deepEqual(
        [task.status, task.body.code, task.body.errors?.[0]?.field],
        [400, 'bad_extras', `extras.${field}`],
        JSON.stringify(task.body),
      )
    })

  for (const [adapter, auth, field] of wrongAuth)
    it(`${adapter} with ${field} ${JSON.stringify(auth)} is refused`, async () => {
      const { status, body } = await made(adapter, { auth, defaults: good[adapter]!.defaults })
      const expected = [400, 'bad_options', `adapter_config.auth.${field}`]
      assert.deepEqual([status, body.code, body.errors?.[0]?.field], expected, JSON.stringify(body))
    })

  it('metadata that placeholders make too long or too many fails its entry with a sentence', async () => {
    const metadata = { event: '{{event}}', 'x-Guest_1.a': 'ü {{guest}}' }
    await keepsake.configure(
      single('late', 's3_upload', {}, { adapter_config: { auth: keys, defaults: { ...s3, metadata } } }),
    )
    for (const [event, guest] of [
      [long, long],
      ['x'.repeat(3000), ''],
      ['x', 'ü'.repeat(900)],
    ]) {
      const extras = JSON.stringify({ additional_context: { event, guest } })
      const { status, body } = await keepsake.send('/api/task/', { configuration_name: 'late', data, extras })
      assert.equal(status, 202, JSON.stringify(body))
      const { entries } = await keepsake.ended(`/api/task/${body.task_id}/`)
      assert.equal(entries[0].error.code, 'bad_options')
      assert.match(entries[0].error.message, /^metadata/)
    }
  })
})
