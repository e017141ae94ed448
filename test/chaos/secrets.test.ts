// A canary in every secret: it must turn up nowhere but where it was put.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { configure, type Grounds, newGrounds, sendTask, settled } from '../support/chaos.ts'
import { startReceiver } from '../support/https-receiver.ts'
import { pattern, png } from '../support/pictures.ts'
import { descendants } from '../support/processes.ts'
import { until } from '../support/until.ts'

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

/** Everything the database holds, as a dump would show it. */
async function dump({ query }: Grounds): Promise<string> {
  const tables = await query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_schema in ('public', 'pgboss') and table_type = 'BASE TABLE'`,
  )
  const texts = await Promise.all(
    tables.map(async ({ name }) => JSON.stringify(await query(`select t::text as row from ${name} t`))),
  )
  return texts.join('\n')
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
  t.after(async () => {
    await grounds.stop()
    await gossip.stop()
  })
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
  const webhookSecret = String(experience.webhook_secret)
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
    'the database': await dump(grounds),
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
    ...spellings('the webhook secret', webhookSecret),
    ...spellings('the webhook secret', Buffer.from(webhookSecret.replace('whsec_', ''), 'base64')),
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
