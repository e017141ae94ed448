// Targets that say back what they were sent, in every disguise, through every destination and everything that is stored of it.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { azureBlobUpload } from '#adapters/destinations/azure_blob_upload.ts'
import { emailSend } from '#adapters/destinations/email_send.ts'
import { gcsUpload } from '#adapters/destinations/gcs_upload.ts'
import { httpPost } from '#adapters/destinations/http_post.ts'
import { s3Upload } from '#adapters/destinations/s3_upload.ts'
import { sftpUpload } from '#adapters/destinations/sftp_upload.ts'
import { youtubeUpload } from '#adapters/destinations/youtube_upload.ts'
import type { DestinationAdapter } from '#engine/adapter.ts'
import type { MediaFile } from '#media/file/file.ts'
import { gcsAuth } from '../support/beds.ts'
import { randomFile, type StepOptions, stepFor } from '../support/delivery.ts'
import { disguises, isKept } from '../support/disguises.ts'
import { type Answer, type Receiver, startReceiver } from '../support/https-receiver.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { dump } from '../support/leaks.ts'
import { pattern, png } from '../support/pictures.ts'
import { type MailReceiver, startSmtp } from '../support/smtp.ts'
import { until } from '../support/until.ts'

const secret = 's3cr3t-Bearer-Token_0123456789abcd'
/** What the target says now. */
let said: unknown = ''
const text = (): string => (typeof said === 'string' ? said : JSON.stringify(said))
const inXml = (): string => text().replaceAll('&', '&amp;').replaceAll('<', '&lt;')

interface Speaker {
  title: string
  adapter: DestinationAdapter
  given(url: string): Pick<StepOptions, 'options' | 'auth'>
  answer: Answer
}

const json = (status: number, body: () => object): Answer => {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body()))
  }
}
const words = (status: number, type: string, body: () => string): Answer => {
  return (_request, response) => void response.writeHead(status, { 'content-type': type }).end(body())
}
const post = (url: string) => ({ options: { url: `${url}/in` }, auth: { bearer: secret } })
const s3Error = (): string => `<Error><Code>AccessDenied</Code><Message>${inXml()}</Message></Error>`
const google = (): object => ({ error: { message: text(), errors: [{ reason: text() }] } })
const youtube = { client_id: 'park-booth', client_secret: secret, refresh_token: 'another-refresh-token' }
const withToken =
  (answer: Answer): Answer =>
  (request, response) =>
    request.url.endsWith('/token')
      ? json(200, () => ({ access_token: 'an-access-token-for-now', scope: text() }))(request, response)
      : answer(request, response)

const speakers: Speaker[] = [
  { title: 'http_post as JSON', adapter: httpPost, given: post, answer: json(200, () => ({ id: 17, echo: said })) },
  { title: 'http_post as text', adapter: httpPost, given: post, answer: words(201, 'text/plain', text) },
  { title: 'http_post as a refusal', adapter: httpPost, given: post, answer: json(400, () => ({ error: said })) },
  { title: 'http_post as a failure', adapter: httpPost, given: post, answer: words(503, 'text/plain', text) },
  {
    title: 's3_upload',
    adapter: s3Upload,
    given: url => ({
      options: { bucket_name: 'souvenirs', bucket_url: url },
      auth: { access_key: 'AKIDEXAMPLE', secret_key: 'a-key-that-signs', session_token: secret },
    }),
    answer: words(403, 'application/xml', s3Error),
  },
  {
    title: 's3_upload by its code',
    adapter: s3Upload,
    given: url => ({
      options: { bucket_name: 'souvenirs', bucket_url: url },
      auth: { access_key: 'AKIDEXAMPLE', secret_key: 'a-key-that-signs', session_token: secret },
    }),
    answer: words(400, 'application/xml', () => `<Error><Code>${inXml()}</Code><Message>No</Message></Error>`),
  },
  {
    title: 'azure_blob_upload',
    adapter: azureBlobUpload,
    given: url => ({
      options: { container_name: 'souvenirs', service_url: url },
      auth: { account_name: 'park', sas_token: `sv=2021&sig=${secret}` },
    }),
    answer: words(400, 'application/xml', s3Error),
  },
  {
    title: 'gcs_upload',
    adapter: gcsUpload,
    given: url => ({
      options: { bucket_name: 'souvenirs', api_base_url: url },
      auth: { ...gcsAuth(url), token_uri: `${url}/token` },
    }),
    answer: (request, response) =>
      request.url.endsWith('/token')
        ? json(200, () => ({ access_token: secret }))(request, response)
        : json(403, google)(request, response),
  },
  {
    title: 'youtube_upload',
    adapter: youtubeUpload,
    given: url => ({ options: { title: 'x', api_base_url: url }, auth: youtube }),
    answer: withToken(json(403, google)),
  },
  {
    title: 'youtube_upload at its sign-in',
    adapter: youtubeUpload,
    given: url => ({ options: { title: 'x', api_base_url: url }, auth: youtube }),
    answer: json(400, () => ({ error: 'odd', error_description: text() })),
  },
]

describe('an echo', () => {
  let folder: string
  let file: MediaFile
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keepsake-echo-'))
    file = await randomFile(folder, 99)
  })
  after(() => rm(folder, { recursive: true, force: true }))

  /** Everything that would be stored or shown of one delivery. */
  async function delivered(adapter: DestinationAdapter, given: Pick<StepOptions, 'options' | 'auth'>): Promise<string> {
    const step = stepFor(adapter, given)
    try {
      return JSON.stringify(step.told.result(await adapter.deliver(file, step)))
    } catch (error) {
      const clean = step.told.error(error) as Error
      const cause = clean.cause instanceof Error ? `${clean.cause.message} ${clean.cause.stack}` : ''
      return `${clean.message} ${cause}`
    }
  }

  for (const { title, adapter, given, answer } of speakers)
    it(`in any disguise is not kept of ${title}`, async () => {
      const receiver = await startReceiver({ answer })
      try {
        for (const [name, disguise] of Object.entries(disguises)) {
          said = disguise(secret)
          const shown = await delivered(adapter, given(receiver.url))
          assert.ok(!isKept(said, shown), `${name}: ${shown}`)
        }
        said = 'The album is full'
        const shown = await delivered(adapter, given(receiver.url))
        if (!title.endsWith('by its code')) assert.match(shown, /The album is full/, 'what is plain is kept')
        assert.ok(receiver.received.length > Object.keys(disguises).length)
      } finally {
        await receiver.stop()
      }
    })

  it('in any disguise is not kept of email_send', async () => {
    const user = { name: 'booth-of-the-park', password: secret }
    const mail: MailReceiver = await startSmtp({ user })
    const auth = {
      ...{ host: '127.0.0.1', port: mail.port, from: 'booth@park.example' },
      ...{ username: user.name, password: secret },
    }
    const given = { options: { to: 'guest@park.example', subject: 'x' }, auth }
    try {
      for (const [name, disguise] of Object.entries(disguises)) {
        said = disguise(secret)
        mail.refusals.push({ code: 554, text: text().replace(/[\r\n]+/g, ' ') })
        const shown = await delivered(emailSend, given)
        assert.match(shown, /refused the message \(554\)/)
        assert.ok(!isKept(said, shown), `${name}: ${shown}`)
      }
      mail.refusals.push({ code: 554, text: 'Mailbox is full' })
      assert.match(await delivered(emailSend, given), /Mailbox is full/)
    } finally {
      await mail.stop()
    }
  })

  it('in any disguise is not kept of an error that nobody foresaw, as of sftp_upload', () => {
    const auth = { username: 'booth', password: secret }
    const { told } = stepFor(sftpUpload, { options: { host: '127.0.0.1' }, auth })
    for (const [name, disguise] of Object.entries(disguises)) {
      said = disguise(secret)
      const { message, stack } = told.error(new Error(text())) as Error
      assert.ok(!isKept(said, `${message} ${stack}`), `${name}: ${message}`)
    }
  })
})

describe('an echo through the service', () => {
  let keepsake: Keepsake
  let echoing: Receiver
  let hook: Receiver
  const names = Object.keys(disguises)
  const saying = (name: unknown) => disguises[names[Number(name)] as string]?.(secret)

  before(async () => {
    keepsake = await startKeepsake({})
    echoing = await startReceiver({
      answer: ({ headers }, response) => {
        response.writeHead(Number(headers['x-status']), { 'content-type': 'application/json' })
        response.end(JSON.stringify({ id: 17, echo: saying(headers['x-case']) }))
      },
    })
    // It knows the secret from somewhere, and says so to every callback.
    hook = await startReceiver({
      answer: (_request, response) => void response.writeHead(500, { 'x-echo': secret }).end(secret),
    })
  })
  after(() => Promise.all([keepsake.stop(), echoing.stop(), hook.stop()]))

  it('is in no task, activity, callback or row of the database', async () => {
    await keepsake.client.post('/api/profile/', { rfid: 'r1', experience_id: 'park' })
    const activity_config = { experience_id: 'park', activity_type: 'x', payload: { object_id: 'y' } }
    const adapter_config = { auth: { bearer: secret }, defaults: { url: `${echoing.url}/in`, delivery_attempts: 1 } }
    const more = { adapter_config, activity_config, webhook_url: `${hook.url}/hook` }
    await keepsake.configure(single('echo', 'http_post', {}, more))
    const data = new Blob([new Uint8Array(await png(pattern(9, 5, 3)))])
    const ids: [at: number, id: string][] = []
    for (const [at] of names.entries()) {
      const headers = { 'x-case': String(at), 'x-status': at % 3 === 2 ? '400' : '200' }
      const extras = JSON.stringify({ rfid: 'r1', headers })
      const sent = await keepsake.send('/api/task/', { configuration_name: 'echo', data, extras })
      assert.equal(sent.status, 202, JSON.stringify(sent.body))
      ids.push([at, sent.body.task_id])
    }
    for (const [at, id] of ids) {
      const task = await keepsake.ended(`/api/task/${id}/`)
      const [{ result, error }] = task.entries
      const activities = (await keepsake.client.get(`/api/activity/?task_id=${id}`)).body
      const shown = JSON.stringify([result, error, activities.items.map(({ payload }: { payload: object }) => payload)])
      assert.match(shown, at % 3 === 2 ? /\(400\)/ : /"status_code":200/)
      assert.ok(!isKept(saying(at), shown), `${names[at]}: ${shown}`)
    }
    await until('callbacks were tried', async () => hook.received.length >= names.length)
    const bodies = hook.received.map(({ body }) => body.toString())
    const { items } = (await keepsake.client.get('/api/callback/?limit=100')).body
    const errors = items.flatMap(({ attempts }: { attempts: { error: string }[] }) =>
      attempts.map(({ error }) => error),
    )
    assert.deepEqual([...new Set(errors)], ['The receiver answered 500.'])
    const stored = await dump(keepsake.databaseUrl)
    for (const [at, name] of names.entries()) {
      const said = saying(at)
      if (typeof said !== 'string' || said.length < 16) continue
      const written = JSON.stringify(said).slice(1, -1)
      for (const place of [stored, ...bodies])
        for (const trace of [said, written]) assert.ok(!place.includes(trace), `${name}: ${trace}`)
    }
  })
})
