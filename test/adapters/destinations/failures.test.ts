// What targets answer when something is wrong: for every destination the sentence, whose fault it is, and when it is tried again.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, type TestContext, test } from 'node:test'
import { azureBlobUpload } from '#adapters/destinations/azure_blob_upload.ts'
import { emailSend } from '#adapters/destinations/email_send.ts'
import { gcsUpload } from '#adapters/destinations/gcs_upload.ts'
import { httpPost } from '#adapters/destinations/http_post.ts'
import { s3Upload } from '#adapters/destinations/s3_upload.ts'
import { sftpUpload } from '#adapters/destinations/sftp_upload.ts'
import { youtubeUpload } from '#adapters/destinations/youtube_upload.ts'
import type { DestinationAdapter } from '#engine/adapter.ts'
import { type Code, isProblem, type Problem } from '#kit/errors.ts'
import type { JsonObject } from '#kit/json.ts'
import { gcsAuth, mailLogin, sftpUser, youtubeAuth } from '../../support/beds.ts'
import { cleanUp } from '../../support/clean-up.ts'
import { randomFile, type StepOptions, stepFor } from '../../support/delivery.ts'
import { googleError } from '../../support/google.ts'
import { type Received, startReceiver } from '../../support/https-receiver.ts'

type Reply = (request: Received, response: ServerResponse) => void

/** A body, or how the connection ends instead. */
interface Trouble {
  title: string
  status?: number
  headers?: Record<string, string>
  body?: string | object
  breaks?: 'reset' | 'silence'
  code: Code
  says: RegExp
  retryAfterSeconds?: number
}

interface Target {
  adapter: DestinationAdapter
  given(url: string): Pick<StepOptions, 'options' | 'auth'>
  troubles: Trouble[]
}

const s3Error = (code: string, more = ''): string =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>Because of ${code}</Message>${more}</Error>`
const azureError = (code: string) => ({
  headers: { 'x-ms-error-code': code },
  body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>Because of ${code}\nRequestId:1</Message></Error>`,
})

const lost: Trouble[] = [
  { title: 'a reset', breaks: 'reset', code: 'destination_unreachable', says: /^The request to 127\.0\.0\.1 failed: / },
  {
    title: 'silence',
    breaks: 'silence',
    code: 'destination_unreachable',
    says: /^The request to 127\.0\.0\.1 failed: no answer in time\.$/,
  },
]

/** Of everything that speaks HTTP, where the target's own words don't say more. */
const plain = (host: string): Trouble[] => [
  {
    title: '500',
    status: 500,
    code: 'destination_unreachable',
    says: new RegExp(`^${host} could not take the file just now \\(500\\)`),
  },
  {
    title: '503 with Retry-After',
    status: 503,
    headers: { 'retry-after': '7' },
    code: 'destination_unreachable',
    says: new RegExp(`^${host} could not take the file just now \\(503\\)`),
    retryAfterSeconds: 7,
  },
  {
    title: '429 with Retry-After',
    status: 429,
    headers: { 'retry-after': '90' },
    code: 'destination_quota',
    says: new RegExp(`^${host} takes no more for now \\(429\\)`),
    retryAfterSeconds: 90,
  },
  { title: '429', status: 429, code: 'destination_quota', says: /\(429\)/, retryAfterSeconds: 60 },
  {
    title: '413',
    status: 413,
    code: 'destination_refused',
    says: new RegExp(`^The file is too large for ${host} \\(413\\)`),
  },
  {
    title: '302',
    status: 302,
    code: 'destination_refused',
    says: new RegExp(`^${host} redirects elsewhere \\(302\\)`),
  },
  { title: '418', status: 418, code: 'destination_refused', says: new RegExp(`^${host} refused the file \\(418\\)`) },
]

const host = '127\\.0\\.0\\.1:\\d+'

const targets: Target[] = [
  {
    adapter: s3Upload,
    given: url => ({
      options: { bucket_name: 'souvenirs', bucket_url: url },
      auth: { access_key: 'AKIDEXAMPLE', secret_key: 'very-secret-key' },
    }),
    troubles: [
      ...lost,
      ...plain(host),
      ...(
        [
          ['NoSuchBucket', 404, /^There is no bucket "souvenirs" at /],
          ['InvalidAccessKeyId', 403, /does not know the access key\.$/],
          ['SignatureDoesNotMatch', 403, /^The access key and the secret key do not fit together/],
          ['ExpiredToken', 400, /^The session token is no longer valid/],
          ['AccessDenied', 403, /^The keys may not do this with the bucket "souvenirs" .*: Because of AccessDenied$/],
          ['RequestTimeTooSkewed', 403, /^The clock of this machine/],
          ['EntityTooLarge', 400, /^The file is too large for /],
          ['QuotaExceeded', 403, /^The bucket "souvenirs" at .* is full: /],
          ['XMinioStorageFull', 507, /^The bucket "souvenirs" at .* is full: /],
          ['PermanentRedirect', 301, /^The bucket "souvenirs" lies in another region; set the option region\.$/],
          ['InvalidRequest', 400, /^127.* refused the file \(400\): Because of InvalidRequest \(InvalidRequest\)$/],
        ] as const
      ).map(
        ([name, status, says]) =>
          ({ title: name, status, body: s3Error(name), code: 'destination_refused', says }) as const,
      ),
      {
        title: 'AuthorizationHeaderMalformed',
        status: 400,
        body: s3Error('AuthorizationHeaderMalformed', '<Region>eu-west-3</Region>'),
        code: 'destination_refused',
        says: /lies in another region \(eu-west-3\); set the option region\.$/,
      },
      ...(
        [
          ['SlowDown', 503],
          ['InternalError', 500],
          ['RequestTimeout', 400],
          ['OperationAborted', 409],
          ['BadDigest', 400],
        ] as const
      ).map(
        ([name, status]) =>
          ({
            title: name,
            status,
            body: s3Error(name),
            code: 'destination_unreachable',
            says: new RegExp(`could not take the file just now \\(${status}\\): Because of ${name} \\(${name}\\)$`),
          }) as const,
      ),
    ],
  },
  {
    adapter: azureBlobUpload,
    given: url => ({
      options: { container_name: 'souvenirs', service_url: `${url}/keepsake` },
      auth: { account_name: 'keepsake', account_key: Buffer.from('a key').toString('base64') },
    }),
    troubles: [
      ...lost,
      ...plain(host),
      ...(
        [
          ['ContainerNotFound', 404, 'destination_refused', /^There is no container "souvenirs" at /],
          ['AuthenticationFailed', 403, 'destination_refused', /does not accept the account key for this: Because of/],
          ['AuthorizationPermissionMismatch', 403, 'destination_refused', /does not accept the account key for this/],
          ['AccountIsDisabled', 403, 'destination_refused', /^The storage account at .* is disabled\.$/],
          [
            'LeaseIdMissing',
            412,
            'destination_refused',
            /refused the file \(412\): Because of LeaseIdMissing \(LeaseIdMissing\)$/,
          ],
          ['ServerBusy', 503, 'destination_unreachable', /just now \(503\): Because of ServerBusy \(ServerBusy\)$/],
          ['OperationTimedOut', 500, 'destination_unreachable', /just now \(500\)/],
        ] as const
      ).map(([name, status, code, says]) => ({ title: name, status, ...azureError(name), code, says }) as const),
    ],
  },
  {
    adapter: gcsUpload,
    given: url => ({ options: { bucket_name: 'souvenirs', api_base_url: url }, auth: gcsAuth(url) }),
    troubles: [
      ...lost,
      ...plain(host),
      { title: '404', status: 404, code: 'destination_refused', says: /^There is no bucket "souvenirs" at / },
      {
        title: '401 for a fresh token too',
        status: 401,
        code: 'destination_refused',
        says: /refused our credentials \(401\)/,
      },
      {
        title: '403',
        status: 403,
        body: googleError('forbidden', 'keepsake has no storage.objects.create access'),
        code: 'destination_refused',
        says: /does not allow this with our credentials \(403\): keepsake has no storage\.objects\.create access$/,
      },
      {
        title: 'rateLimitExceeded',
        status: 429,
        body: googleError('rateLimitExceeded', 'Slow down'),
        code: 'destination_quota',
        says: /is asked too often: Slow down$/,
        retryAfterSeconds: 60,
      },
    ],
  },
  {
    adapter: youtubeUpload,
    given: url => ({ options: { title: 'Souvenir', api_base_url: url }, auth: youtubeAuth }),
    troubles: [
      ...lost,
      ...plain('YouTube'),
      {
        title: '401 for a fresh token too',
        status: 401,
        code: 'destination_refused',
        says: /^YouTube refused our credentials/,
      },
      {
        title: 'forbidden',
        status: 403,
        body: googleError('forbidden', 'Access forbidden'),
        code: 'destination_refused',
        says: /^YouTube does not allow this with our credentials \(403\): Access forbidden$/,
      },
      {
        title: 'uploadLimitExceeded',
        status: 400,
        body: googleError('uploadLimitExceeded', 'Too many videos'),
        code: 'destination_quota',
        says: /^YouTube takes no more uploads of this account for now: Too many videos$/,
        retryAfterSeconds: 3600,
      },
    ],
  },
  {
    adapter: httpPost,
    given: url => ({ options: { url: `${url}/in` }, auth: { bearer: 'token-token' } }),
    troubles: [
      ...plain(host),
      {
        title: '401',
        status: 401,
        code: 'destination_refused',
        says: /refused our credentials \(401\): ?$|\(401\)\.$/,
      },
      {
        title: '403 with a secret in its words',
        status: 403,
        body: 'token-token is not for you',
        code: 'destination_refused',
        says: /does not allow this with our credentials \(403\): \*{8} is not for you$/,
      },
      {
        title: '404',
        status: 404,
        body: '<html>nothing</html>',
        code: 'destination_refused',
        says: /knows no such place \(404\)\.$/,
      },
    ],
  },
]

describe('what a target answers when something is wrong', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keepsake-failures-'))
  let reply: Reply = (_request, response) => void response.end()
  const receiver = await startReceiver({
    answer(request, response) {
      if (request.url === '/token') return void response.end('{"access_token": "token"}')
      return reply(request, response)
    },
  })
  after(() =>
    cleanUp(
      () => receiver.stop(),
      () => rm(folder, { recursive: true, force: true }),
    ),
  )
  const file = await randomFile(folder, 2000, '.mp4', 'video/mp4')

  /** With less patience than in earnest, so that silence can be waited for. */
  function impatient(adapter: DestinationAdapter, given: Pick<StepOptions, 'options' | 'auth'>) {
    const step = stepFor(adapter, given)
    const { request } = step.outbound
    const outbound = {
      ...step.outbound,
      request: (url: string, options: object) => request(url, { ...options, headersTimeoutMs: 400 }),
    }
    return { ...step, outbound }
  }

  async function failure(work: Promise<JsonObject>): Promise<Problem> {
    const error = await work.then(
      () => assert.fail('it was delivered'),
      (error: unknown) => error,
    )
    if (!isProblem(error)) throw error
    return error
  }

  for (const { adapter, given, troubles } of targets) {
    for (const { title, status = 200, headers = {}, body = '', breaks, code, says, retryAfterSeconds } of troubles) {
      test(`${adapter.name}: ${title}`, async () => {
        const hanging: ServerResponse[] = []
        reply = (_request, response) => {
          if (breaks === 'reset') return void response.destroy()
          if (breaks === 'silence') return void hanging.push(response)
          response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body))
        }
        // On a busy machine an answer may take as long as silence is waited for.
        const step = (breaks === 'silence' ? impatient : stepFor)(adapter, given(receiver.url))
        const problem = await failure(adapter.deliver(file, step))
        for (const response of hanging) response.destroy()
        assert.match(problem.message, says)
        assert.equal(problem.code, code)
        assert.equal(problem.retryAfterSeconds, retryAfterSeconds)
        for (const secret of Object.values(step.auth))
          if (typeof secret === 'string' && secret.length > 7) assert.ok(!problem.message.includes(secret), 'a secret')
      })
    }
  }

  test('http_post: a reset or silence after the whole file is a doubt, not a failure', async () => {
    for (const breaks of ['reset', 'silence']) {
      reply = (_request, response) => void (breaks === 'reset' && response.destroy())
      const step = impatient(httpPost, { options: { url: `${receiver.url}/in` }, auth: {} })
      assert.equal((await failure(httpPost.deliver(file, step))).code, 'outcome_unknown')
    }
  })

  describe('servers that speak no HTTP', () => {
    const serving = async (greet: (socket: Socket) => void, work: (port: number) => Promise<void>) => {
      const sockets = new Set<Socket>()
      const server = createServer(socket => {
        sockets.add(socket.on('error', () => {}))
        greet(socket)
      })
      await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
      try {
        await work((server.address() as AddressInfo).port)
      } finally {
        for (const socket of sockets) socket.destroy()
        server.close()
      }
    }
    /** The limits of the clients, for a greeting or a sign-in, are over at once. */
    const servingHurriedly = ({ mock }: TestContext, ...serve: Parameters<typeof serving>) => {
      const { setTimeout } = globalThis
      const hurried = (run: () => void, ms = 0) => setTimeout(run, ms === 15_000 || ms === 20_000 ? 500 : ms)
      mock.method(globalThis, 'setTimeout', hurried as typeof setTimeout)
      return serving(...serve)
    }
    const ways: Record<string, (socket: Socket) => void> = {
      silence: () => {},
      'a reset': socket => void socket.resetAndDestroy(),
      'another protocol': socket => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
    }
    for (const [title, greet] of Object.entries(ways)) {
      test(`sftp_upload: ${title}`, t =>
        servingHurriedly(t, greet, async port => {
          const options = { host: '127.0.0.1', port, path: 'in' }
          const problem = await failure(sftpUpload.deliver(file, stepFor(sftpUpload, { options, auth: sftpUser })))
          assert.match(
            problem.message,
            /^(Could not connect to 127\.0\.0\.1: |The connection to 127\.0\.0\.1 (broke|was closed)\.$)/,
          )
          assert.equal(problem.fault, 'transient')
        }))
      test(`email_send: ${title}`, t =>
        servingHurriedly(t, greet, async port => {
          const step = stepFor(emailSend, {
            options: { to: 'guest@example.com', subject: 'Souvenir' },
            auth: { ...mailLogin, host: '127.0.0.1', port },
          })
          const problem = await failure(emailSend.deliver(file, step))
          assert.match(
            problem.message,
            /^(Could not connect to the mail server: |The connection to the mail server (broke|was closed)\.$)/,
          )
          assert.equal(problem.fault, 'transient')
        }))
    }
  })
})
