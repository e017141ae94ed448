// A canary in every secret: it must turn up nowhere but where it was put.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { newKeys } from '../support/beds.ts'
import { configure, newGrounds, sendTask, settled } from '../support/chaos.ts'
import { cleanUp } from '../support/clean-up.ts'
import { startGossip } from '../support/gossip.ts'
import { startReceiver } from '../support/https-receiver.ts'
import { around, dump, traces } from '../support/leaks.ts'
import { pattern, png } from '../support/pictures.ts'
import { descendants } from '../support/processes.ts'
import { startSftp } from '../support/sftp.ts'
import { startSmtp } from '../support/smtp.ts'
import { until } from '../support/until.ts'
import { clip } from '../support/videos.ts'

/** A secret in every spelling it could be written in. */
function spellings(name: string, secret: string | Buffer): [string, string][] {
  const bytes = Buffer.from(secret)
  const all = [bytes.toString('utf8'), bytes.toString('base64'), bytes.toString('base64url'), bytes.toString('hex')]
  return all.filter(text => !text.includes('\ufffd')).map(text => [name, text])
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
}

test('no secret turns up in logs, tables, files, callbacks, arguments or environments', async t => {
  const admin = `ks_${randomBytes(32).toString('base64url')}`
  const secretKey = randomBytes(32)
  const accessKey = `canary-access-${randomBytes(9).toString('base64url')}`
  const storeKey = `canary-secret-${randomBytes(18).toString('base64url')}`
  const grounds = await newGrounds({
    env: {
      KEEPSAKE_ADMIN_TOKEN: admin,
      KEEPSAKE_SECRET_KEY: secretKey.toString('base64'),
      KEEPSAKE_LOG_LEVEL: 'trace',
    },
  })
  // A store that says aloud what it was sent.
  const gossip = await startReceiver({
    answer: (request, response) => {
      const words = `No: ${accessKey} ${storeKey} ${request.headers.authorization}`
      response.writeHead(403, { 'content-type': 'application/xml' })
      response.end(`<Error><Code>AccessDenied</Code><Message>${words}</Message></Error>`)
    },
  })
  t.after(() =>
    cleanUp(
      () => grounds.stop(),
      () => gossip.stop(),
    ),
  )
  const [api, worker] = await Promise.all([grounds.start('api'), grounds.start('worker')])
  const client = grounds.client(api.url).as(admin)
  await configure(grounds, client)
  const auth = { access_key: accessKey, secret_key: storeKey }
  for (const [configuration_name, bucket_url] of [
    ['gossip', gossip.url],
    ['good', grounds.destination.url],
  ]) {
    const { status, body } = await client.post('/api/configuration/', {
      configuration_name,
      experience_id: 'park',
      adapter_name: 's3_upload',
      adapter_config: { auth, defaults: { bucket_name: 'souvenirs', bucket_url } },
      webhook_url: `${grounds.receiver.url}/hook`,
    })
    assert.equal(status, 201, JSON.stringify(body))
  }
  const made = await client.post('/api/token/', {
    name: 'door',
    scopes: ['tasks'],
    experiences: null,
    expires_at: null,
  })
  const { token } = made.body
  assert.match(token, /^ks_/)
  const { body: experience } = await client.get('/api/experience/park/')
  const readWebhookSecret = String(experience.webhook_secret)
  await client.post('/api/profile/', { rfid: 'r1', experience_id: 'park' })

  const data = new Blob([new Uint8Array(await png(pattern(400, 300, 3)))])
  for (const configuration of ['park', 'good', 'gossip'])
    assert.equal((await sendTask(api.url, token, { configuration, data, extras: { rfid: 'r1' } }))?.status, 202)
  // Wrong requests that carry secrets, too.
  for (const path of [`/api/task/?token=${token}`, `/api/token/${token}/`]) await client.get(path).catch(() => {})
  await sendTask(api.url, `${token}x`, { configuration: 'park', data })
  const environments: string[] = []
  const commands: string[] = []
  await until('all has been looked at while it ran', async () => {
    for (const part of [api, worker]) {
      for (const pid of [part.pid, ...descendants(part.pid)]) {
        commands.push(readQuietly(`/proc/${pid}/cmdline`))
        // What the operator gave to our own two processes is where it was put.
        if (pid !== part.pid) environments.push(readQuietly(`/proc/${pid}/environ`))
      }
    }
    return (await grounds.query('select from tasks where ended_at is null')).length === 0
  })
  await settled(grounds)
  assert.ok(environments.length > 0, 'media children were seen')

  const answers = await Promise.all(
    ['configuration', 'task', 'callback', 'token', 'activity'].map(async noun =>
      JSON.stringify((await client.get(`/api/${noun}/`)).body),
    ),
  )
  worker.kill('SIGTERM')
  assert.equal(await worker.exit(), 0)
  const stores: Record<string, string> = {
    'the log of the API': api.said(),
    'the log of the worker': worker.said(),
    'the database': await dump(grounds.databaseUrl()),
    'the data folder': filesBelow(grounds.folder)
      .map(file => readFileSync(file, 'latin1'))
      .join('\n'),
    callbacks: grounds.receiver.received.map(({ headers, body }) => JSON.stringify(headers) + body).join('\n'),
    'the arguments of processes': commands.join('\n'),
    'the environments of children': environments.join('\n'),
    'answers of the API': answers.join('\n'),
  }
  const secrets = [
    ...spellings('the admin token', admin),
    ...spellings('the secret key', secretKey),
    ...spellings('an access key', accessKey),
    ...spellings('a store’s secret key', storeKey),
    ...spellings('a token', token),
    ...spellings('the webhook secret', readWebhookSecret),
    ...spellings('the webhook secret', Buffer.from(readWebhookSecret.replace('whsec_', ''), 'base64')),
  ]
  assert.ok(api.said().length > 1000 && stores['the data folder']?.length, 'there was something to look through')
  for (const [where, text] of Object.entries(stores))
    for (const [what, secret] of secrets) assert.ok(!text.includes(secret), `${what} is in ${where}`)
  assert.match(answers.join(), /\*{8}/, 'credentials come back masked')
})

function readQuietly(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return '' // It has just ended.
  }
}

test('no secret of any destination turns up anywhere, though its target says it aloud', async t => {
  const canary = (what: string): string => `canary-${what}-${randomBytes(9).toString('base64url')}`
  const { privateKey } = newKeys()
  const post = { bearer: canary('bearer') }
  const basic = { username: canary('user'), password: canary('password') }
  const s3 = { access_key: canary('access'), secret_key: canary('secret'), session_token: canary('session') }
  const azure = { account_name: 'park', account_key: randomBytes(64).toString('base64') }
  const sas = {
    account_name: 'park',
    sas_token: `sv=2021&sig=${encodeURIComponent(randomBytes(32).toString('base64'))}`,
  }
  const google = { client_id: canary('client'), client_secret: canary('secret'), refresh_token: canary('refresh') }
  const service = { client_email: 'booth@project.example', private_key: privateKey }
  const login = { username: canary('user'), password: canary('password') }
  const all = [post, basic, s3, { key: azure.account_key }, { token: sas.sas_token }, google, login].flatMap(one =>
    Object.values(one),
  )
  const grounds = await newGrounds({ env: { KEEPSAKE_LOG_LEVEL: 'trace' } })
  const gossip = await startGossip()
  const home = await mkdtemp(join(tmpdir(), 'keepsake-gossip-'))
  // Both know another password, and the mail server repeats the one it was given.
  const mail = await startSmtp({ user: { name: login.username, password: 'another' } })
  const sftp = await startSftp(home, { username: login.username, password: 'another' })
  t.after(() =>
    cleanUp(
      () => grounds.stop(),
      () => Promise.all([gossip.stop(), mail.stop(), sftp.stop()]),
      () => rm(home, { recursive: true, force: true }),
    ),
  )
  const [api, worker] = await Promise.all([grounds.start('api'), grounds.start('worker')])
  const client = grounds.client(api.url)
  await client.post('/api/profile/', { rfid: 'r1', experience_id: 'park' })
  const bucket = { bucket_name: 'souvenirs' }
  const container = { container_name: 'souvenirs' }
  const mailAuth = { host: '127.0.0.1', port: mail.port, from: 'booth@park.example', ...login }
  const at = (auth: object) => gossip.customer(Object.values(auth))
  const atService = at({ private_key: privateKey })
  const stores: [adapter: string, auth: object, defaults: object][] = [
    ['http_post', post, { url: `${at(post)}/taken` }],
    ['http_post', basic, { url: `${at(basic)}/taken` }],
    ['http_post', basic, { url: `${at(basic)}/refused` }],
    ['s3_upload', s3, { ...bucket, bucket_url: at(s3) }],
    ['azure_blob_upload', azure, { ...container, service_url: at({ key: azure.account_key }) }],
    ['azure_blob_upload', sas, { ...container, service_url: at({ token: sas.sas_token }) }],
    ['gcs_upload', { ...service, token_uri: `${atService}/token` }, { ...bucket, api_base_url: `${atService}/google` }],
    ['gcs_upload', { ...service, token_uri: `${atService}/deaf/token` }, { ...bucket, api_base_url: atService }],
    ['youtube_upload', google, { title: 'x', api_base_url: `${at(google)}/google` }],
    ['youtube_upload', google, { title: 'x', api_base_url: `${at(google)}/deaf` }],
    ['youtube_upload', google, { title: 'x', api_base_url: `${at(google)}/taking` }],
    ['email_send', mailAuth, { to: 'guest@park.example', subject: 'x' }],
    ['sftp_upload', login, { host: '127.0.0.1', port: sftp.port }],
  ]
  const photo = new Blob([new Uint8Array(await png(pattern(40, 30, 3)))])
  const film = new Blob([new Uint8Array(await readFile((await clip({ seconds: 1, tone: null })).path))])
  const activity_config = { experience_id: 'park', activity_type: 'x', payload: { object_id: 'y' } }
  const checks: string[] = []
  for (const [index, [adapter_name, auth, defaults]] of stores.entries()) {
    const configuration_name = `${adapter_name}-${index}`
    const { status, body } = await client.post('/api/configuration/', {
      configuration_name,
      experience_id: 'park',
      adapter_name,
      adapter_config: { auth, defaults: { delivery_attempts: 2, delivery_backoff: 0.1, ...defaults } },
      activity_config,
      webhook_url: `${grounds.receiver.url}/hook`,
    })
    assert.equal(status, 201, JSON.stringify(body))
    const data = adapter_name === 'youtube_upload' ? film : photo
    for (let round = 0; round < 3; round++) {
      const extras = { rfid: 'r1' }
      assert.equal(
        (await sendTask(api.url, grounds.token, { configuration: configuration_name, data, extras }))?.status,
        202,
      )
      checks.push(JSON.stringify((await client.post(`/api/configuration/${configuration_name}/check/`)).body))
    }
  }
  const commands: string[] = []
  await until('all tasks have ended', async () => {
    for (const part of [api, worker])
      for (const pid of [part.pid, ...descendants(part.pid)]) commands.push(readQuietly(`/proc/${pid}/cmdline`))
    return (await grounds.query('select from tasks where ended_at is null')).length === 0
  })
  await settled(grounds)
  const answers = await Promise.all(
    ['configuration', 'task', 'callback', 'activity'].map(async noun =>
      JSON.stringify((await client.get(`/api/${noun}/?limit=100`)).body),
    ),
  )
  worker.kill('SIGTERM')
  assert.equal(await worker.exit(), 0)
  const places: Record<string, string> = {
    'the log of the API': api.said(),
    'the log of the worker': worker.said(),
    'the database': await dump(grounds.databaseUrl()),
    callbacks: grounds.receiver.received.map(({ headers, body }) => JSON.stringify(headers) + body).join('\n'),
    'the arguments of processes': commands.join('\n'),
    'answers of the API': answers.join('\n'),
    'lines of checks': checks.join('\n'),
  }
  assert.ok(gossip.made.length > 3 && gossip.received.length > 30, 'there was much to talk about')
  assert.match(places['answers of the API'] ?? '', /"video_id":"\*{8}"/)
  const proofs = gossip.received.flatMap(({ headers, url, body }) => {
    const { authorization = '' } = headers
    const assertion = url.endsWith('/token') ? new URLSearchParams(body.toString()).get('assertion') : null
    const signature = /Signature=(\w+)/.exec(authorization)?.[1]
    return [authorization.replace(/^[\w-]+ +/, ''), signature, assertion].filter(proof => !!proof) as string[]
  })
  const body = privateKey.split('\n')[3] as string
  for (const [where, text] of Object.entries(places)) {
    for (const proof of proofs) assert.ok(!text.includes(proof), `${proof} is in ${where}: ${around(text, proof)}`)
    assert.ok(!text.includes(body), `a private key is in ${where}`)
    for (const secret of [...all, ...gossip.made])
      for (const [spelling, trace] of traces(secret))
        for (const written of [trace, JSON.stringify(trace).slice(1, -1)])
          assert.ok(!text.includes(written), `${secret} in ${spelling} is in ${where}: ${around(text, written)}`)
  }
})
