// Attacks on stored secrets: sending them elsewhere, having them said back, and leading a delivery astray by what guests bring.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { isProblem, type Problem } from '#kit/errors.ts'
import { MASK } from '#kit/mask.ts'
import { apply } from '../../src/commands/apply.ts'
import type { Client } from '../support/client.ts'
import { type Answer, type Receiver, startReceiver } from '../support/https-receiver.ts'
import { chain, type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { around, dump, spellers, traces } from '../support/leaks.ts'
import { pattern, png } from '../support/pictures.ts'
import { until } from '../support/until.ts'

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})
const hostKey = (letter: string): string => `SHA256:${letter.repeat(43)}`

interface Config {
  auth?: Record<string, unknown>
  defaults?: Record<string, unknown>
}

interface Target {
  adapter: string
  auth: Record<string, string | number | boolean>
  defaults: Record<string, unknown>
  /** What says where the secret goes: each change alone must be refused. `null` takes it away. */
  moves: Config[]
  /** Changes that leave the secret where it goes. */
  stays: Config[]
}

const targets: Target[] = [
  {
    adapter: 'http_post',
    auth: { bearer: 'canary-bearer' },
    defaults: { url: 'https://hooks.example.com/photos' },
    moves: [
      { defaults: { url: 'https://evil.example/photos' } },
      { defaults: { url: 'https://hooks.example.com/other' } },
      { defaults: { url: 'https://hooks.example.com/{{where}}' } },
      { defaults: { url: null } },
    ],
    stays: [{ defaults: { method: 'PUT', headers: { 'x-a': 'b' } } }, { auth: { bearer: 'another' } }],
  },
  {
    adapter: 'http_post',
    auth: { username: 'booth', password: 'canary-password' },
    defaults: { url: 'https://hooks.example.com/photos' },
    moves: [
      { defaults: { url: 'https://evil.example/' } },
      { defaults: { url: 'https://evil.example/' }, auth: { username: 'me' } },
      { defaults: { url: 'https://evil.example/' }, auth: { bearer: 'mine' } },
    ],
    stays: [{ auth: { username: 'me' } }],
  },
  {
    adapter: 'sftp_upload',
    auth: { username: 'booth', password: 'canary-password' },
    defaults: { host: 'files.example.com', host_key: hostKey('a') },
    moves: [
      { defaults: { host: 'evil.example' } },
      { defaults: { port: 2222 } },
      { defaults: { host_key: hostKey('b') } },
      { defaults: { host_key: null } },
      { defaults: { host: 'evil.example' }, auth: { private_key: 'mine' } },
    ],
    stays: [{ defaults: { port: 22 } }, { defaults: { path: 'elsewhere' } }],
  },
  {
    adapter: 'sftp_upload',
    auth: { username: 'booth', private_key: 'canary-key', passphrase: 'canary-phrase' },
    defaults: { host: 'files.example.com' },
    moves: [
      { defaults: { host: 'evil.example' } },
      { defaults: { host: 'evil.example' }, auth: { private_key: 'mine' } },
      { defaults: { host: 'evil.example' }, auth: { passphrase: 'mine' } },
    ],
    stays: [{ defaults: { file_prefix: 'x/' } }],
  },
  {
    adapter: 'email_send',
    auth: {
      host: 'smtp.example.com',
      username: 'booth',
      password: 'canary-password',
      from: 'booth@example.com',
      secure: true,
    },
    defaults: { subject: 'Your souvenir' },
    moves: [
      { auth: { host: 'evil.example' } },
      { auth: { port: 2525 } },
      { auth: { secure: false } },
      { auth: { secure: null } },
      { auth: { host: 'evil.example', username: 'me', from: 'me@evil.example' } },
    ],
    stays: [{ defaults: { subject: 'Hello' } }, { auth: { from: 'other@example.com' } }],
  },
  {
    adapter: 'youtube_upload',
    auth: { client_id: 'id', client_secret: 'canary-secret', refresh_token: 'canary-refresh' },
    defaults: { title: 'x' },
    moves: [
      { defaults: { api_base_url: 'https://evil.example' } },
      { defaults: { api_base_url: 'https://evil.example' }, auth: { client_secret: 'mine', client_id: 'mine' } },
      { defaults: { api_base_url: 'https://evil.example' }, auth: { refresh_token: 'mine' } },
    ],
    stays: [{ defaults: { title: 'y', api_base_url: 'https://www.googleapis.com' } }],
  },
  {
    adapter: 'azure_blob_upload',
    auth: { account_name: 'park', sas_token: 'sv=1&sig=canary-signature' },
    defaults: { container_name: 'souvenirs' },
    moves: [
      { defaults: { service_url: 'https://evil.example' } },
      { auth: { account_name: 'evil' } },
      { auth: { account_name: 'evil', account_key: 'bWluZQ==' } },
    ],
    stays: [{ defaults: { container_name: 'others', public: true } }],
  },
  {
    adapter: 'gcs_upload',
    auth: {
      client_email: 'booth@project.example',
      private_key: privateKey,
      token_uri: 'https://oauth2.example.com/token',
      type: 'service_account',
    },
    defaults: { bucket_name: 'souvenirs' },
    moves: [
      { defaults: { api_base_url: 'https://evil.example' } },
      { auth: { token_uri: 'https://evil.example/token' } },
      { auth: { token_uri: null } },
      { auth: { token_uri: 'https://evil.example/token', client_email: 'me@evil.example' } },
    ],
    stays: [{ defaults: { public: true } }],
  },
  {
    adapter: 's3_upload',
    auth: { access_key: 'canary-access', secret_key: 'canary-secret', session_token: 'canary-session' },
    defaults: { bucket_name: 'souvenirs', bucket_url: 'https://s3.example.com' },
    moves: [
      { defaults: { bucket_url: 'https://evil.example' } },
      { defaults: { bucket_url: null } },
      { defaults: { url_style: 'virtual' } },
      { defaults: { bucket_url: 'https://evil.example' }, auth: { access_key: 'mine', secret_key: 'mine' } },
      { defaults: { bucket_url: 'https://evil.example' }, auth: { session_token: 'mine' } },
    ],
    stays: [{ defaults: { bucket_name: 'others', region: 'eu-central-1', url_style: 'path' } }],
  },
  {
    adapter: 's3_upload',
    auth: { access_key: 'canary-access', secret_key: 'canary-secret', session_token: 'canary-session' },
    defaults: { bucket_name: 'souvenirs', bucket_url: 'https://s3.example.com', url_style: 'virtual' },
    moves: [
      { defaults: { bucket_name: 'evil' } },
      { defaults: { bucket_name: 'evil', url_style: 'path' } },
      { defaults: { url_style: null } },
    ],
    stays: [{ defaults: { region: 'eu-central-1', file_prefix: 'x/' } }],
  },
  {
    adapter: 's3_upload',
    auth: { access_key: 'canary-access', secret_key: 'canary-secret' },
    defaults: { bucket_name: 'souvenirs', bucket_url: 'https://s3.example.com', url_style: 'virtual' },
    moves: [{ defaults: { bucket_url: 'https://evil.example' } }],
    stays: [{ defaults: { bucket_name: 'others' } }, { defaults: { bucket_name: '{{experience_id}}-others' } }],
  },
]

describe('a stored secret', () => {
  let keepsake: Keepsake
  let writer: Client
  let data: Blob
  let folder: string
  let serial = 0

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keepsake-hostile-'))
    keepsake = await startKeepsake({ settings: { localRoot: join(folder, 'root') } })
    writer = await tokenOf(['write'], ['park', 'pier'])
    data = new Blob([new Uint8Array(await png(pattern(9, 5, 3)))])
  })
  after(async () => {
    await keepsake.stop()
    await rm(folder, { recursive: true, force: true })
  })

  async function tokenOf(scopes: string[], experiences: string[] | null): Promise<Client> {
    const made = await keepsake.client.post('/api/token/', { name: 'x', scopes, experiences, expires_at: null })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    return keepsake.client.as(made.body.token)
  }
  const newName = () => `secret-${serial++}`
  const at = (name: string) => `/api/configuration/${name}/`

  async function store(adapter: string, adapter_config: Config, more: object = {}): Promise<string> {
    const name = newName()
    await keepsake.configure(single(name, adapter, {}, { adapter_config, ...more }))
    return name
  }

  async function receiving(answer?: Answer): Promise<Receiver & AsyncDisposable> {
    const receiver = await startReceiver(answer ? { answer } : {})
    return { ...receiver, [Symbol.asyncDispose]: () => receiver.stop() }
  }

  async function run(configuration_name: string, extras: object = {}, ended = true) {
    const sent = await keepsake.send('/api/task/', { configuration_name, data, extras: JSON.stringify(extras) })
    return sent.status === 202 && ended ? keepsake.ended(`/api/task/${sent.body.task_id}/`) : sent
  }

  /** A merge patch over a whole configuration, as PUT wants it: with the masks of what was read. */
  const whole = (read: { adapter_config: Config }, change: Config): object => {
    const merged = (old: object = {}, over: object = {}) =>
      Object.fromEntries(Object.entries({ ...old, ...over }).filter(([, value]) => value !== null))
    const { auth, defaults } = read.adapter_config
    return { ...read, adapter_config: { auth: merged(auth, change.auth), defaults: merged(defaults, change.defaults) } }
  }

  for (const { adapter, auth, defaults, moves, stays } of targets) {
    const held = Object.keys(auth).join(', ')

    it(`of ${adapter} (${held}) is not sent elsewhere by somebody who does not know it`, async () => {
      const name = await store(adapter, { auth, defaults })
      const { body: before } = await writer.get(at(name))
      for (const move of moves) {
        const ways = {
          PATCH: () => writer.patch(at(name), { adapter_config: move }),
          'nested PATCH': () => writer.patch(at(name), { adapter_config: { adapter_config: move } }),
          'PATCH as a dry run': () => writer.patch(`${at(name)}?dry_run=true`, { adapter_config: move }),
          PUT: () => writer.put(at(name), whole(before, move)),
          'PUT as a dry run': () => writer.put(`${at(name)}?dry_run=true`, whole(before, move)),
        }
        for (const [way, change] of Object.entries(ways)) {
          const { status, body } = await change()
          const told = `${way} ${JSON.stringify(move)}: ${JSON.stringify(body)}`
          assert.deepEqual([status, body.code], [400, 'secret_needed'], told)
          const fields = body.errors.map(({ field }: { field: string }) => field)
          for (const part of Object.keys(auth))
            if (!Object.hasOwn(move.auth ?? {}, part)) assert.ok(fields.includes(`adapter_config.auth.${part}`), told)
          const moved = [
            ...Object.keys(move.defaults ?? {}).map(key => `adapter_config.defaults.${key}`),
            ...Object.keys(move.auth ?? {}).map(key => `adapter_config.auth.${key}`),
          ]
          assert.ok(
            moved.some(field => fields.includes(field)),
            told,
          )
          assert.doesNotMatch(JSON.stringify(body), /canary/)
        }
      }
      assert.deepEqual((await writer.get(at(name))).body, before)
      for (const stay of stays) {
        const { status, body } = await writer.patch(at(name), { adapter_config: stay })
        assert.equal(status, 200, `${JSON.stringify(stay)}: ${JSON.stringify(body)}`)
      }
    })

    it(`of ${adapter} (${held}) may be sent elsewhere by whoever gives it`, async () => {
      const move = moves[0] as Config
      const name = await store(adapter, { auth, defaults })
      const parts = Object.keys(auth).filter(part => !Object.hasOwn(move.auth ?? {}, part))
      const anew = Object.fromEntries(parts.map(part => [part, auth[part]]))
      // User names too: the new place would learn them.
      for (const missing of parts) {
        const { [missing]: _gone, ...some } = anew
        const tried = { ...move, auth: { ...move.auth, ...some } }
        const { status, body } = await writer.patch(at(name), { adapter_config: tried })
        assert.deepEqual([status, body.code], [400, 'secret_needed'], `without ${missing}: ${JSON.stringify(body)}`)
      }
      const given = { ...move, auth: { ...move.auth, ...anew } }
      const { status, body } = await writer.patch(at(name), { adapter_config: given })
      assert.equal(status, 200, JSON.stringify(body))
    })
  }

  it('stays with its adapter, and goes with its configuration', async () => {
    const auth = { username: 'booth', password: 'canary-password' }
    const name = await store('sftp_upload', { auth, defaults: { host: 'files.example.com' } })
    const { body } = await writer.get(at(name))
    const post = {
      adapter_name: 'http_post',
      adapter_config: { auth: body.adapter_config.auth, defaults: { url: 'https://evil.example/' } },
    }
    const moved = await writer.put(at(name), { ...body, ...post })
    assert.deepEqual(
      [moved.status, moved.body.code, moved.body.errors[0].field],
      [400, 'secret_needed', 'adapter_name'],
    )
    // As a chain it has no secret any more, nor after it was deleted.
    await keepsake.configure(single('flip', 'photo_flip', { method: 'ROTATE_180' }))
    const { adapter_name: _a, adapter_config: _c, ...rest } = body
    assert.equal((await writer.put(at(name), { ...rest, call_chain: [['flip', null]] })).status, 200)
    assert.equal((await writer.put(at(name), { ...body, ...post })).body.code, 'bad_options')
    assert.equal((await writer.delete(at(name))).status, 204)
    assert.equal((await writer.post('/api/configuration/', { ...body, ...post })).body.code, 'bad_options')
  })

  it('is not moved to an experience by somebody who may not write there, and keeps its target where it is moved', async () => {
    const name = await store('http_post', {
      auth: { bearer: 'canary-bearer' },
      defaults: { url: 'https://hooks.example.com/' },
    })
    const stranger = await tokenOf(['write'], ['pier'])
    assert.equal((await stranger.patch(at(name), { experience_id: 'pier' })).status, 404)
    const parkOnly = await tokenOf(['write'], ['park'])
    assert.equal((await parkOnly.patch(at(name), { experience_id: 'pier' })).status >= 400, true)
    assert.equal((await writer.patch(at(name), { experience_id: 'pier' })).status, 200)
    const { body } = await stranger.patch(at(name), { adapter_config: { defaults: { url: 'https://evil.example/' } } })
    assert.equal(body.code, 'secret_needed')
  })

  it('is not sent elsewhere by files that are applied without it', async () => {
    const event = join(folder, 'event.json')
    const silent = { print() {}, say() {}, isTty: false, showsResults: false, columns: 80 }
    const applied = async (configuration: object): Promise<Problem | null> => {
      await writeFile(event, JSON.stringify({ configurations: [configuration] }))
      return apply(keepsake.settings, { values: {}, positionals: [event] }, silent, path => path).then(
        () => null,
        (error: unknown) => {
          if (isProblem(error)) return error
          throw error
        },
      )
    }
    const url = 'https://hooks.example.com/'
    const name = await store('http_post', { auth: { bearer: 'canary-bearer' }, defaults: { url } })
    const written = (bearer: string, to: string) =>
      single(name, 'http_post', {}, { adapter_config: { auth: { bearer }, defaults: { url: to } } })
    assert.equal(await applied(written(MASK, url)), null)
    const refused = await applied(written(MASK, 'https://evil.example/'))
    assert.equal(refused?.code, 'secret_needed')
    assert.match(refused?.message ?? '', new RegExp(`^configuration "${name}": adapter_config.defaults.url`))
    assert.ok(refused?.errors?.some(({ field }) => field.endsWith('adapter_config.auth.bearer')))
    assert.equal(await applied(written('canary-bearer', 'https://evil.example/')), null)
  })

  it('and its target stay a pair in a task that is retried after both have changed', async () => {
    const sick: Answer = (_request, response) => void response.writeHead(500).end()
    await using first = await receiving(sick)
    await using second = await receiving()
    const defaults = { url: `${first.url}/in`, delivery_attempts: 1 }
    const name = await store('http_post', { auth: { bearer: 'first-secret' }, defaults })
    const failed = await run(name)
    assert.equal(failed.status, 'Failed')
    const given = { auth: { bearer: 'second-secret' }, defaults: { url: `${second.url}/in` } }
    assert.equal((await writer.patch(at(name), { adapter_config: given })).status, 200)
    assert.equal((await keepsake.client.post(`/api/task/${failed.task_id}/retry/`)).status, 202)
    assert.equal((await keepsake.ended(`/api/task/${failed.task_id}/`)).status, 'Succeeded')
    const seen = ({ received }: Receiver) => new Set(received.map(({ headers }) => headers.authorization))
    assert.deepEqual([seen(first), seen(second)], [new Set(['Bearer first-secret']), new Set(['Bearer second-secret'])])
  })

  it('of callbacks only signs: another webhook_url gets a signature, not the secret', async () => {
    await using hook = await receiving()
    const name = newName()
    await keepsake.configure(single(name, 'photo_flip', { method: 'ROTATE_180' }))
    assert.equal((await writer.patch(at(name), { webhook_url: `${hook.url}/hook` })).status, 200)
    assert.equal((await run(name)).status, 'Succeeded')
    await until('the callback has come', () => hook.received.length > 0)
    const { webhook_secret: secret } = (await keepsake.client.get('/api/experience/park/')).body
    const said = JSON.stringify(hook.received.map(({ headers, body }) => [headers, body.toString()]))
    assert.match(said, /"webhook-signature":"v1,/)
    for (const [spelling, text] of traces(secret.replace('whsec_', ''))) assert.ok(!said.includes(text), spelling)
    assert.equal((await writer.get('/api/experience/park/')).body.webhook_secret, undefined)
  })

  describe('that a receiver says back', () => {
    const password = 'canary-Passw\u00f6rd/+&<42"'
    const cases: [what: string, auth: Record<string, string>, secrets: string[]][] = [
      ['a bearer token', { bearer: 'canary-bearer-0123456789' }, ['canary-bearer-0123456789']],
      [
        'a name and a password',
        { username: 'canary-user', password },
        [password, 'canary-user', `canary-user:${password}`],
      ],
      ['a password of four letters', { username: 'booth', password: 'oXq7' }, ['booth:oXq7']],
    ]
    const echo = (headers: Record<string, unknown>, secrets: readonly string[]) => ({
      ok: true,
      headers,
      lines: secrets.flatMap(secret => Object.values(spellers).map(spell => `you sent ${spell(secret)}`)),
      nested: [{ [secrets[0] as string]: { deeper: [headers.authorization] } }],
    })

    for (const [what, auth, secrets] of cases)
      for (const status of [200, 400, 503])
        it(`as the answer ${status} (${what}) is nowhere afterwards`, async () => {
          await using hook = await receiving()
          await using echoing = await receiving((request, response) => {
            const body = JSON.stringify(echo(request.headers, secrets))
            // An answer that is an error is quoted from its beginning on, so every request begins elsewhere.
            const from = status === 200 ? 0 : (Number(request.headers['x-from'] ?? 0) * 300) % body.length
            response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '1' })
            response.end(
              request.headers['x-small'] ? JSON.stringify({ a: request.headers.authorization }) : body.slice(from),
            )
          })
          const person = newName()
          await keepsake.client.post('/api/profile/', { rfid: person, experience_id: 'park' })
          const activity_config = { experience_id: 'park', activity_type: 'x', payload: { object_id: 'y' } }
          const defaults = { url: `${echoing.url}/in`, delivery_attempts: 1 }
          const more = { activity_config, webhook_url: `${hook.url}/hook` }
          const name = await store('http_post', { auth, defaults }, more)
          const answers: unknown[] = []
          for (const headers of [{}, { 'x-small': '1' }, { 'x-from': '1' }, { 'x-from': '2' }, { 'x-from': '5' }]) {
            const task = await run(name, { rfid: person, headers })
            assert.equal(task.status, status === 200 ? 'Succeeded' : 'Failed', JSON.stringify(task))
            answers.push(task, (await keepsake.client.get(`/api/activity/?task_id=${task.task_id}`)).body)
          }
          answers.push((await writer.post(`${at(name)}check/`)).body)
          answers.push((await keepsake.client.get('/api/callback/')).body)
          const said = JSON.stringify([answers, hook.received.map(({ body }) => body.toString())])
          const stored = await dump(keepsake.databaseUrl)
          const sent = echoing.received.flatMap(({ headers }) => headers.authorization?.split(' ')[1] ?? [])
          assert.ok(sent.length >= 5, 'the secret was sent')
          for (const [where, text] of [
            ['answers', said],
            ['the database', stored],
          ] as const) {
            for (const credential of sent) assert.ok(!text.includes(credential), `the header is in ${where}`)
            for (const secret of secrets)
              for (const [spelling, trace] of traces(secret))
                for (const spelled of [trace, JSON.stringify(trace).slice(1, -1)])
                  assert.ok(
                    !text.includes(spelled),
                    `${secret} in ${spelling} is in ${where}: ${around(text, spelled)}`,
                  )
          }
          if (status === 200) assert.match(said, /"status_code":200/)
        })

    it('is cut out before an answer is cut, at whatever place that is', async () => {
      const bearer = 'canary-bearer-0123456789'
      let length = 0
      await using echoing = await receiving((_request, response) => {
        response.writeHead(length < 0 ? 200 : 400, { 'content-type': 'text/plain' })
        response.end(`${'x '.repeat(Math.abs(length) / 2)}${bearer} and more`)
      })
      const name = await store('http_post', { auth: { bearer }, defaults: { url: `${echoing.url}/in` } })
      // Quotes end at 600 characters, messages at 1,000, what is kept of an answer at 4,000, what is looked at later.
      for (length of [...[560, 584, 590, 598, 960, 976, 990, 8176, 8184, 8190], ...[-3976, -3984, -3990]]) {
        const { entries } = await run(name)
        const said = JSON.stringify(entries)
        assert.doesNotMatch(said, /cana/, `behind ${length} characters: ${said.slice(-400)}`)
      }
    })
  })

  describe('is not led astray by extras', () => {
    const store3 = (session: object) =>
      store('s3_upload', {
        auth: { access_key: 'a-key', secret_key: 'b-key', ...session },
        defaults: { bucket_name: 'souvenirs', bucket_url: 'https://s3.example.com' },
      })

    it('bucket_url stays what it is where a session token is sent, also by a template, and may change elsewhere', async () => {
      await using evil = await receiving()
      const raw = await store3({ session_token: 'canary-session' })
      const chained = newName()
      await keepsake.configure(chain(chained, [[raw, null]]))
      for (const name of [raw, chained])
        for (const extras of [
          { bucket_url: evil.url },
          { bucket_url: `${evil.url}/{{task_id}}` },
          { bucket_url: 'https://s3.example.com' },
          { url_style: 'virtual', bucket_name: 'evil' },
        ]) {
          const { status, body } = await run(name, extras)
          assert.deepEqual([status, body.code], [400, 'bad_extras'], JSON.stringify(body))
          assert.match(body.errors[0].field, /^extras\.(bucket_url|url_style)$/)
        }
      assert.equal(evil.connections(), 0)
      assert.equal((await run(await store3({}), { bucket_url: evil.url }, false)).status, 202)
      // A host that comes with the task would be an override by another name.
      const { status, body } = await writer.patch(at(raw), {
        adapter_config: {
          auth: { access_key: 'a', secret_key: 'b', session_token: 'c' },
          defaults: { bucket_url: 'https://{{where}}/' },
        },
      })
      assert.deepEqual(
        [status, body.errors[0].field],
        [400, 'adapter_config.defaults.bucket_url'],
        JSON.stringify(body),
      )
    })

    it('bucket_name stays what it is where it is a part of the host and a session token is sent', async () => {
      const virtual = (auth: object, bucket_name: string) => ({
        auth: { access_key: 'a-key', secret_key: 'b-key', ...auth },
        defaults: { bucket_name, bucket_url: 'https://s3.example.com', url_style: 'virtual' },
      })
      const raw = await store('s3_upload', virtual({ session_token: 'canary-session' }, 'souvenirs'))
      const chained = newName()
      await keepsake.configure(chain(chained, [[raw, null]]))
      for (const name of [raw, chained]) {
        const { status, body } = await run(name, { bucket_name: 'evil' })
        assert.deepEqual([status, body.code, body.errors[0].field], [400, 'bad_extras', 'extras.bucket_name'])
      }
      const seen = await keepsake.send(`${at(raw)}preview/`, { data, extras: '{"bucket_name": "evil"}' })
      assert.deepEqual([seen.status, seen.body.code], [400, 'bad_extras'])
      const led = single(newName(), 's3_upload', {}, { adapter_config: virtual({ session_token: 'x' }, '{{who}}-in') })
      const { status, body } = await writer.post('/api/configuration/', led)
      assert.deepEqual([status, body.errors[0].field], [400, 'adapter_config.defaults.bucket_name'])
      // In the path, or where keys only sign, the bucket tells nobody a secret.
      assert.equal((await run(await store3({ session_token: 'y' }), { bucket_name: 'others' }, false)).status, 202)
      const signing = await store('s3_upload', virtual({}, '{{experience_id}}-in'))
      assert.equal((await run(signing, { bucket_name: 'others' }, false)).status, 202)
    })

    it('a redirect to another origin gets no credentials, nor a connection', async () => {
      await using evil = await receiving()
      const status = { code: 301 }
      await using good = await receiving((request, response) => {
        const token = request.url.endsWith('/token')
        response.writeHead(token ? 200 : status.code, { location: `${evil.url}${request.url}` })
        response.end(token ? '{"access_token": "canary-access-token"}' : '')
      })
      const google = { client_email: 'booth@project.example', private_key: privateKey, token_uri: `${good.url}/token` }
      const bucket = { bucket_name: 'souvenirs' }
      const stores: [adapter: string, auth: object, defaults: object][] = [
        ['http_post', { bearer: 'canary-bearer' }, { url: `${good.url}/in` }],
        ['http_post', { username: 'booth', password: 'canary-password' }, { url: `${good.url}/in` }],
        [
          'azure_blob_upload',
          { account_name: 'park', sas_token: 'sig=canary' },
          { container_name: 'souvenirs', service_url: good.url },
        ],
        [
          's3_upload',
          { access_key: 'a', secret_key: 'b', session_token: 'canary' },
          { ...bucket, bucket_url: good.url },
        ],
        ['gcs_upload', google, { ...bucket, api_base_url: good.url }],
      ]
      for (const [adapter, auth, defaults] of stores) {
        const config = { auth, defaults: { ...defaults, delivery_attempts: 1 } }
        const name = await store(adapter, config as Config)
        for (status.code of [301, 302, 303, 307, 308]) {
          const before = good.received.length
          assert.equal((await run(name)).status, 'Failed', `${adapter} ${status.code}`)
          assert.ok(good.received.length > before, 'it was sent')
        }
      }
      assert.equal(evil.connections(), 0)
    })

    it('no other name, case or shape of an option reaches the target', async () => {
      await using good = await receiving()
      await using evil = await receiving()
      const name = await store('http_post', {
        auth: { bearer: 'canary-bearer' },
        defaults: { url: `${good.url}/in`, headers: {} },
      })
      const url = `${evil.url}/in`
      const preview = await keepsake.send(`${at(name)}preview/`, { data, extras: JSON.stringify({ url }) })
      assert.deepEqual([preview.status, preview.body.code], [400, 'bad_extras'])
      for (const extras of [{ url }, { url: '' }, { url: null }]) assert.equal((await run(name, extras)).status, 400)
      for (const extras of [
        `{"__proto__": {"url": "${url}"}}`,
        `{"constructor": {"prototype": {"url": "${url}"}}}`,
        JSON.stringify({ URL: url, 'url ': url, Url: url, 'defaults.url': url }),
        JSON.stringify({ adapter_config: { defaults: { url } }, defaults: { url }, options: { url } }),
        JSON.stringify({ additional_context: { url, auth: { bearer: 'x' }, target: url } }),
      ]) {
        const sent = await keepsake.send('/api/task/', { configuration_name: name, data, extras })
        if (sent.status === 202) await keepsake.ended(`/api/task/${sent.body.task_id}/`)
        else assert.equal(sent.status, 400, JSON.stringify(sent.body))
      }
      assert.equal(evil.connections(), 0)
      for (const headers of [
        { authorization: 'x' },
        { AUTHORIZATION: 'x' },
        { Host: 'evil.example' },
        { 'X-Original-URL': '/admin' },
        { 'X-Forwarded-Host': 'other' },
        { 'X-HTTP-Method-Override': 'DELETE' },
        { 'x-rewrite-url': '/admin' },
        { 'Proxy-Authorization': 'x' },
      ])
        assert.equal((await run(name, { headers })).status, 400, JSON.stringify(headers))
      assert.ok(good.received.every(({ headers }) => headers.authorization === 'Bearer canary-bearer'))
    })
  })

  describe('goes only where its template says, whatever guests bring', () => {
    const wild = [
      '../../admin?x=1#',
      '..',
      '.',
      '%2e%2e',
      '%2e%2e/%2e%2e/admin',
      '/admin',
      '\\..\\..\\admin',
      '//evil.example/',
      '@evil.example/',
      '?admin=1',
      '#',
      ';/../admin',
      '%00',
      'a b\u00fc\u{1f600}',
      '..%2f..%2fadmin',
      '. .',
    ]

    it('a placeholder in the path or the query of a URL stays in its part', async () => {
      await using receiver = await receiving()
      const url = `${receiver.url}/in/{{who}}/up/{{who}}-{{index}}?tag={{who}}&fixed=1`
      const name = await store('http_post', {
        auth: { bearer: 'canary-bearer' },
        defaults: { url, delivery_attempts: 1 },
      })
      for (const who of wild) {
        const before = receiver.received.length
        const task = await run(name, { additional_context: { who } })
        const [request] = receiver.received.slice(before)
        if (who === '..' || who === '.') {
          assert.equal(task.entries[0].error.code, 'bad_options', who)
          assert.equal(request, undefined)
          continue
        }
        assert.equal(task.status, 'Succeeded', `${who}: ${JSON.stringify(task.entries[0].error)}`)
        const { pathname, searchParams, hash } = new URL(request?.url ?? '', receiver.url)
        const parts = pathname.split('/')
        assert.deepEqual([parts.length, parts[1], parts[3]], [5, 'in', 'up'], request?.url)
        assert.deepEqual(
          [parts[2], parts[4]].map(part => decodeURIComponent(part as string)),
          [who, `${who}-0`],
        )
        assert.deepEqual(
          [[...searchParams], hash],
          [
            [
              ['tag', who],
              ['fixed', '1'],
            ],
            '',
          ],
        )
      }
    })

    it('a placeholder that decides on the host is refused when it is written', async () => {
      for (const url of [
        'https://{{host}}/in',
        'https://hooks.example.com{{host}}/in',
        'https://{{user}}@hooks.example.com/in',
        'https://hooks.example.com:{{port}}/in',
        'https://{{a/b}}.example.com/in',
        'https://hooks.example.com\\{{x}}',
        '{{url}}',
      ]) {
        const { status, body } = await writer.post('/api/configuration/', single(newName(), 'http_post', { url }))
        assert.equal(status, 400, `${url}: ${JSON.stringify(body)}`)
        assert.equal(body.errors[0].field, 'adapter_config.defaults.url')
      }
    })

    it('a placeholder in a folder, a prefix or a name leads out of none', async () => {
      const root = join(folder, 'root')
      await keepsake.configure(
        single('kept', 'local_file', { folder: 'in/{{who}}', file_prefix: '{{who}}', file_name: '{{who}}{{ext}}' }),
      )
      const refused = [
        ...wild.filter(who => /^\.\.?$|^\/|\\|\.\.\//.test(who)),
        '../x',
        'a/../../x',
        'a/..',
        '\u0001',
        '/etc/x',
      ]
      for (const who of refused) {
        const task = await run('kept', { additional_context: { who } })
        assert.equal(
          task.entries?.[0]?.error?.code,
          'bad_options',
          `${who}: ${JSON.stringify(task.entries ?? task.body)}`,
        )
      }
      for (const who of ['AC/DC', 'a b', '%2e%2e'])
        assert.equal((await run('kept', { additional_context: { who } })).status, 'Succeeded', who)
      const files = await readdir(folder, { recursive: true, withFileTypes: true })
      const outside = files.filter(entry => entry.isFile() && !entry.parentPath.startsWith(join(root, 'in')))
      assert.deepEqual(
        outside.map(({ name }) => name).filter(name => name !== 'event.json'),
        [],
      )
    })
  })
})
