// Options of destinations that can't work, over the API: a 400 that names them, at the write and at the task.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'

const url = 'https://hooks.example.com/photos'
const smuggled = 'guest@example.com\r\nBcc: victim@example.com'
const auth = { host: 'smtp.example.com', from: 'booth@example.com', password: 'canary-secret', username: 'booth' }

describe('options of destinations that cannot work', () => {
  let keepsake: Keepsake
  let data: Blob

  before(async () => {
    keepsake = await startKeepsake({ worker: false })
    data = new Blob([new Uint8Array(await png(pattern(9, 5, 3)))])
    await keepsake.configure(single('local_file', 'local_file'))
    await keepsake.configure(single('http_post', 'http_post', { url }))
    const adapter_config = { auth, defaults: { subject: 'Your souvenir' } }
    await keepsake.configure(single('email_send', 'email_send', {}, { adapter_config }))
  })
  after(() => keepsake.stop())

  const cases: [adapter: string, options: Record<string, unknown>, field: string][] = [
    ['local_file', { folder: '/etc' }, 'folder'],
    ['local_file', { folder: '../../z' }, 'folder'],
    ['local_file', { file_name: '../../z' }, 'file_name'],
    ['local_file', { file_prefix: '../' }, 'file_prefix'],
    ['http_post', { headers: { Authorization: 'canary-secret' } }, 'headers'],
    ['http_post', { headers: { Host: 'canary-secret' } }, 'headers'],
    ['http_post', { headers: { 'X Y': 'canary-secret' } }, 'headers'],
    ['http_post', { headers: { 'Authorization: canary-secret': '' } }, 'headers'],
    ['http_post', { headers: { 'x-a': 'canary-secret\r\nb: c' } }, 'headers.x-a'],
    ['email_send', { to: smuggled }, 'to'],
  ]

  for (const [adapter, options, field] of cases) {
    const given = JSON.stringify(options)

    it(`${adapter} ${given} is refused in the extras of a task`, async () => {
      const { status, body } = await keepsake.send('/api/task/', { configuration_name: adapter, data, extras: given })
      assert.deepEqual(
        [status, body.code, body.errors?.[0]?.field],
        [400, 'bad_extras', `extras.${field}`],
        JSON.stringify(body),
      )
      assert.doesNotMatch(JSON.stringify(body), /canary/)
    })

    it(`${adapter} ${given} is refused in the defaults of a configuration`, async () => {
      const defaults = adapter === 'http_post' ? { url, ...options } : options
      const { status, body } = await keepsake.client.post('/api/configuration/', single('new', adapter, defaults))
      assert.deepEqual(
        [status, body.code, body.errors?.[0]?.field],
        [400, 'bad_options', `adapter_config.defaults.${field}`],
        JSON.stringify(body),
      )
      assert.doesNotMatch(JSON.stringify(body), /canary/)
    })
  }

  it('an address that may not be reached is refused when it is written, whatever its path holds', async () => {
    for (const [adapter, key] of [
      ['http_post', 'url'],
      ['azure_blob_upload', 'service_url'],
      ['gcs_upload', 'api_base_url'],
      ['youtube_upload', 'api_base_url'],
    ] as const)
      for (const blocked of ['https://10.0.0.1/', 'http://hooks.example.com/', 'https://[::ffff:a00:1]/{{task_id}}']) {
        const { status, body } = await keepsake.client.post(
          '/api/configuration/',
          single('new', adapter, { [key]: blocked }),
        )
        assert.deepEqual(
          [status, body.code, body.errors?.[0]?.field],
          [400, 'blocked_url', `adapter_config.defaults.${key}`],
          `${adapter} ${blocked}: ${JSON.stringify(body)}`,
        )
      }
  })

  it('what only a placeholder can make wrong is left to the run', async () => {
    await keepsake.configure(single('open folder', 'local_file', { folder: '{{where}}', file_name: '{{name}}' }))
    const open = { url: `${url}/{{task_id}}`, headers: { 'x-guest': '{{profile.name}}' } }
    await keepsake.configure(single('open post', 'http_post', open))
  })
})
