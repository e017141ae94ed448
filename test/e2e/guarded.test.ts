// Every way out, tried over the API with addresses that must not be reached: each is refused with its code, and nobody is called.
import assert from 'node:assert/strict'
import { lookup } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { createServer as createWebServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { hostname } from 'node:os'
import { after, before, describe, it } from 'node:test'
import { gcsAuth, sftpUser, youtubeAuth } from '../support/beds.ts'
import { cleanUp } from '../support/clean-up.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { forbiddenAddresses, spellings } from '../support/spellings.ts'
import { until } from '../support/until.ts'
import { clip, withFfmpeg } from '../support/videos.ts'

/** A name that leads inside reads like one that nobody knows. */
const refusedName = /the name is not known, or leads to an address that may not be reached/

/** A neighbour that may be reached, so that it can try to lead elsewhere. */
const ALLOWED = '127.0.0.2'

interface Way {
  adapter: string
  /** What a spelled host is put into. */
  config(host: string, port: number): { auth: object; defaults: object }
  /** Takes bare hosts only: no brackets, no user names. */
  bare?: true
}

const mail = { from: 'booth@example.org', username: 'user', password: 'pass-word' }
const ways: Way[] = [
  {
    adapter: 's3_upload',
    config: (host, port) => ({
      auth: { access_key: 'key', secret_key: 'secret-key' },
      defaults: { bucket_name: 'bucket', bucket_url: `https://${host}:${port}` },
    }),
  },
  {
    adapter: 'azure_blob_upload',
    config: (host, port) => ({
      auth: { account_name: 'keepsake', account_key: 'a2V5' },
      defaults: { container_name: 'container', service_url: `https://${host}:${port}` },
    }),
  },
  {
    adapter: 'gcs_upload',
    config: (host, port) => ({
      auth: gcsAuth(`https://${host}:${port}`),
      defaults: { bucket_name: 'bucket', api_base_url: `https://${host}:${port}` },
    }),
  },
  {
    adapter: 'youtube_upload',
    config: (host, port) => ({
      auth: youtubeAuth,
      defaults: { title: 'Souvenir', api_base_url: `https://${host}:${port}` },
    }),
  },
  {
    adapter: 'http_post',
    config: (host, port) => ({ auth: { bearer: 'token' }, defaults: { url: `https://${host}:${port}/in` } }),
  },
  { adapter: 'sftp_upload', bare: true, config: (host, port) => ({ auth: sftpUser, defaults: { host, port } }) },
  {
    adapter: 'email_send',
    bare: true,
    config: (host, port) => ({
      auth: { ...mail, host, port },
      defaults: { to: 'guest@example.com', subject: 'Souvenir' },
    }),
  },
]

describe('addresses that must not be reached', withFfmpeg, () => {
  let keepsake: Keepsake
  let picture: Blob
  let film: Blob
  const canaries: Server[] = []
  let calls = 0
  let port = 0
  /** Redirects to wherever the path says. */
  const neighbour = createWebServer((request, response) =>
    response.writeHead(302, { location: decodeURIComponent((request.url ?? '').slice(1)) }).end(),
  )

  before(async () => {
    const listen = async (address: string, at: number): Promise<void> => {
      const server = createServer(socket => {
        calls++
        socket.destroy()
      })
      canaries.push(server)
      await new Promise<void>((resolve, reject) => server.once('error', reject).listen(at, address, resolve))
      port = (server.address() as AddressInfo).port
    }
    await listen('127.0.0.1', 0)
    await listen('::1', port).catch(() => {}) // A machine without IPv6 has one door less.
    await new Promise<void>(resolve => neighbour.listen(0, ALLOWED, resolve))
    keepsake = await startKeepsake({ settings: { allowHosts: [ALLOWED], callbackDelays: [0.1] } })
    picture = new Blob([new Uint8Array(await png(pattern(8, 8, 3)))])
    film = new Blob([new Uint8Array(await readFile((await clip({ seconds: 1 })).path))])
    await keepsake.configure(single('flip', 'photo_flip', { method: 'ROTATE_180' }))
  })
  after(() =>
    cleanUp(
      () => keepsake.stop(),
      () => {
        for (const server of canaries) server.close()
      },
      () => neighbour.closeAllConnections(),
      () => neighbour.close(),
    ),
  )

  /** Every spelling of the canary, and every other address once, each in another spelling. */
  const hosts = [
    ...spellings('127.0.0.1'),
    ...spellings('::1').slice(0, 12),
    ...forbiddenAddresses
      .filter(address => address !== ALLOWED)
      .map((address, index) => spellings(address)[index % spellings(address).length] as string),
  ]

  /** Names that lead to this machine without saying so. */
  async function privateNames(): Promise<string[]> {
    const names = ['localhost', 'ip6-localhost', 'localhost.localdomain', hostname()]
    const found = await Promise.all(
      names.map(async name => {
        const addresses = await lookup(name, { all: true }).catch(() => [])
        return addresses.some(({ address }) => /^(127\.|::1$|10\.|192\.168\.|172\.)/.test(address)) ? [name] : []
      }),
    )
    return found.flat()
  }

  async function failed(parts: Record<string, string | Blob>): Promise<{ code: string; message: string }> {
    const { status, body } = await keepsake.send('/api/task/', parts)
    assert.equal(status, 202, JSON.stringify(body))
    const task = await keepsake.ended(`/api/task/${body.task_id}/`)
    assert.equal(task.status, 'Failed')
    return task.entries[0].error
  }

  it(`${hosts.length} spellings as data_url and as webhook_url are a 400 with blocked_url`, async () => {
    for (const host of hosts) {
      const url = `https://${host}:${port}/x`
      const task = await keepsake.send('/api/task/', { configuration_name: 'flip', data_url: url })
      assert.deepEqual([task.status, task.body.code], [400, 'blocked_url'], `data_url ${host}`)
      const group = await keepsake.send('/api/taskgroup/', {
        configuration_names: '["flip"]',
        flip_data: picture,
        webhook_url: url,
      })
      assert.deepEqual([group.status, group.body.code], [400, 'blocked_url'], `webhook_url of a group ${host}`)
      const { status, body } = await keepsake.client.post('/api/configuration/', {
        ...single('hooked', 'photo_flip', { method: 'ROTATE_180' }),
        webhook_url: url,
      })
      assert.deepEqual([status, body.code], [400, 'blocked_url'], `webhook_url ${host}`)
    }
    assert.equal(calls, 0)
  })

  it('a name that leads to this machine is not gone to, for the input and for callbacks', async () => {
    const names = await privateNames()
    assert.ok(names.length > 0)
    for (const name of names) {
      const data_url = `https://${name}:${port}/x`
      if (name !== hostname()) {
        // What such a name means is known without asking.
        const { status, body } = await keepsake.send('/api/task/', { configuration_name: 'flip', data_url })
        assert.deepEqual([status, body.code], [400, 'blocked_url'], name)
        continue
      }
      const { code, message } = await failed({ configuration_name: 'flip', data_url })
      assert.deepEqual([code, refusedName.test(message)], ['download_failed', true], message)
      const hooked = `hooked-${names.indexOf(name)}`
      await keepsake.configure(
        single(hooked, 'photo_flip', { method: 'ROTATE_180' }, { webhook_url: `https://${name}:${port}/hook` }),
      )
      const { body } = await keepsake.send('/api/task/', { configuration_name: hooked, data: picture })
      await keepsake.ended(`/api/task/${body.task_id}/`)
      const callback = async () => (await keepsake.client.get(`/api/callback/?task_id=${body.task_id}`)).body.items[0]
      await until('the callback is given up', async () => (await callback())?.status === 'GivenUp')
      assert.match((await callback()).attempts[0].error, refusedName)
    }
    assert.equal(calls, 0)
  })

  it('a redirect leads nowhere else', async () => {
    const { port: at } = neighbour.address() as AddressInfo
    for (const host of ['127.0.0.1', '[::1]', 'localhost', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]']) {
      const target = encodeURIComponent(`https://${host}:${port}/secret`)
      const { code } = await failed({ configuration_name: 'flip', data_url: `http://${ALLOWED}:${at}/${target}` })
      assert.equal(code, 'blocked_url', host)
    }
    const away = encodeURIComponent(`https://127.0.0.1:${port}/secret`)
    for (const [name, adapter, defaults, auth] of [
      ['posted', 'http_post', { url: `http://${ALLOWED}:${at}/${away}` }, { bearer: 'token' }],
      [
        'stored',
        's3_upload',
        { bucket_name: 'bucket', bucket_url: `http://${ALLOWED}:${at}/${away}` },
        { access_key: 'key', secret_key: 'secret-key' },
      ],
    ] as const) {
      await keepsake.configure({ ...single(name, adapter), adapter_config: { auth, defaults } })
      const { code } = await failed({ configuration_name: name, data: picture })
      assert.equal(code, 'destination_refused', name)
    }
    assert.equal(calls, 0)
  })

  for (const { adapter, config, bare } of ways) {
    it(`${adapter} does not go to any of them, in tasks and in checks`, async () => {
      const every = hosts.filter(host => !bare || /^[A-Za-z0-9._:-]+$/.test(host))
      // A good sample of the spellings by checks, and some by whole tasks.
      const sample = [...every.filter((_host, index) => index % 6 === 0), ...(await privateNames())]
      const data = adapter === 'youtube_upload' ? film : picture
      for (const [index, host] of sample.entries()) {
        const name = `${adapter}-${index}`
        const { auth, defaults } = config(host, port)
        const adapter_config = { auth, defaults: { ...defaults, delivery_attempts: 1 } }
        const made = { ...single(name, adapter), adapter_config }
        const { status, body } = await keepsake.client.post('/api/configuration/', made)
        // A spelling that is no address at all may be refused as an option.
        if (status === 400) {
          assert.match(body.code, /^(bad_options|blocked_url)$/, `${host}: ${JSON.stringify(body)}`)
          continue
        }
        assert.equal(status, 201, JSON.stringify(body))
        const check = await keepsake.client.post(`/api/configuration/${name}/check/`)
        const red = check.body.lines.filter(({ ok }: { ok: boolean }) => !ok)
        assert.ok(red.length > 0, `${host}: ${JSON.stringify(check.body)}`)
        if (index % 4 !== 0 && host !== hostname()) continue
        const { code, message } = await failed({ configuration_name: name, data })
        if (host === hostname()) assert.equal(code, 'destination_unreachable', message)
        else assert.equal(code, 'blocked_url', `${host}: ${message}`)
      }
      assert.equal(calls, 0)
    })
  }

  it('extras cannot say where a secret is sent, and additional_context cannot either', async () => {
    const elsewhere: Record<string, Record<string, unknown>> = {
      sftp_upload: { host: 'evil.example.com', port: 2222, host_key: `SHA256:${'A'.repeat(43)}` },
      http_post: { url: 'https://evil.example.com/' },
      youtube_upload: { api_base_url: 'https://evil.example.com' },
      gcs_upload: { api_base_url: 'https://evil.example.com' },
      azure_blob_upload: { service_url: 'https://evil.example.com' },
    }
    for (const { adapter, config } of ways) {
      const { auth, defaults } = config('files.example.com', 443)
      const name = `fixed-${adapter}`
      await keepsake.configure({ ...single(name, adapter), adapter_config: { auth, defaults } })
      const data = adapter === 'youtube_upload' ? film : picture
      const secrets = { auth: { password: 'x' } }
      for (const [key, value] of Object.entries({ ...elsewhere[adapter], ...secrets })) {
        const extras = JSON.stringify({ [key]: value })
        const { status, body } = await keepsake.send('/api/task/', { configuration_name: name, data, extras })
        assert.deepEqual([status, body.code], [400, 'bad_extras'], `${adapter} ${key}: ${JSON.stringify(body)}`)
      }
      for (const key of Object.keys(elsewhere[adapter] ?? {})) {
        if (key === 'port') continue
        const led = ['https://{{where}}/in', 'https://files.example.com{{where}}/in', '{{where}}.example.com.{{where}}']
        for (const value of led) {
          const made = { ...single('led', adapter), adapter_config: { auth, defaults: { ...defaults, [key]: value } } }
          const { status, body } = await keepsake.client.post('/api/configuration/', made)
          assert.deepEqual(
            [status, body.code],
            [400, 'bad_options'],
            `${adapter} ${key} = ${value}: ${JSON.stringify(body)}`,
          )
        }
      }
    }
    // In the path of a URL they do no harm.
    const defaults = { url: 'https://files.example.com/in/{{where}}' }
    await keepsake.configure({ ...single('by-path', 'http_post'), adapter_config: { auth: {}, defaults } })
    assert.equal(calls, 0)
  })
})
