// Secrets at rest: what a stolen database, a moved row and a key that was changed are worth.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { start, testFolder } from '../start/keepsake.ts'
import { newClient } from '../support/client.ts'
import { startReceiver } from '../support/https-receiver.ts'
import { single } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { emptyDatabase } from '../support/postgres.ts'
import { until } from '../support/until.ts'

const key = (): string => randomBytes(32).toString('base64')

test('secrets open with a ring that has their key, and with no other; a moved one opens nowhere', async t => {
  const folder = testFolder(t)
  const database = await emptyDatabase(t)
  const secret = `canary-${randomBytes(18).toString('base64url')}`
  const [first, second, stranger] = [key(), key(), key()]
  const client = new pg.Client(database.url)
  // The database is dropped before the connection is closed.
  client.on('error', () => {})
  t.after(() => client.end())
  await client.connect()
  const receiver = await startReceiver()
  t.after(() => receiver.stop())
  const token = `ks_${randomBytes(32).toString('base64url')}`
  const run = (...keys: string[]) =>
    start(t, {
      data: join(folder, 'data'),
      env: {
        DATABASE_URL: database.url,
        KEEPSAKE_SECRET_KEY: keys.join(','),
        KEEPSAKE_ADMIN_TOKEN: token,
        KEEPSAKE_ALLOW_HOSTS: '127.0.0.1',
      },
    })
  const picture = new Blob([new Uint8Array(await png(pattern(8, 8, 3)))])
  const post = (name: string, bearer: string) => ({
    ...single(name, 'http_post'),
    adapter_config: { auth: { bearer }, defaults: { url: `${receiver.url}/in` } },
  })

  /** Runs a configuration; answers what the receiver was shown, or null when it was shown nothing. */
  async function delivered(url: string, configuration_name: string): Promise<string | null> {
    const before = receiver.received.length
    const body = new FormData()
    body.append('configuration_name', configuration_name)
    body.append('data', picture)
    const admin = newClient({ url, token })
    const sent = await admin.send('POST', '/api/task/', { body })
    if (sent.status !== 202) return null
    await until('the task has ended, or was begun several times in vain', async () => {
      const { body: now } = await admin.get(`/api/task/${sent.body.task_id}/`)
      const { rows } = await client.query(
        `select max((error->>'tries')::int) as tries from entries join chains using (chain_id) where task_id = $1`,
        [sent.body.task_id],
      )
      return /Succeeded|Failed/.test(now.status) || rows[0].tries > 1
    })
    return receiver.received.slice(before).at(-1)?.headers.authorization ?? null
  }
  const stop = async (running: ReturnType<typeof start>) => {
    running.kill('SIGTERM')
    assert.equal(await running.exit(), 0, running.said())
  }

  const one = run(first)
  const url = (await one.ready()).replace(/\/$/, '')
  assert.equal((await newClient({ url, token }).post('/api/configuration/', post('mine', secret))).status, 201)
  assert.equal(await delivered(url, 'mine'), `Bearer ${secret}`)
  await stop(one)

  const { rows } = await client.query(
    `select c::text as row from configurations c union all select s::text from snapshots s`,
  )
  const stolen = JSON.stringify(rows)
  for (const form of [secret, Buffer.from(secret).toString('base64'), Buffer.from(secret).toString('hex')])
    assert.ok(!stolen.includes(form), 'the database alone tells nothing')

  // A new key first, the old one behind it: both are used.
  const both = run(second, first)
  const again = (await both.ready()).replace(/\/$/, '')
  assert.equal(await delivered(again, 'mine'), `Bearer ${secret}`)
  const admin = newClient({ url: again, token })
  assert.equal((await admin.post('/api/configuration/', post('newer', 'another-secret'))).status, 201)
  assert.equal(await delivered(again, 'newer'), 'Bearer another-secret')
  await stop(both)

  for (const keys of [[stranger], [stranger, second]]) {
    const refused = run(...keys)
    assert.equal(await refused.exit(), 1)
    assert.match(refused.said(), /KEEPSAKE_SECRET_KEY .* is not the key that this database’s secrets were sealed with/)
    assert.ok(!refused.said().includes(secret) && keys.every(each => !refused.said().includes(each)))
  }

  // Whoever can write to the database can't make one configuration use another's secret.
  await client.query(
    `update configurations set auth = (select auth from configurations where configuration_name = 'mine') where configuration_name = 'newer'`,
  )
  const last = run(second, first)
  const there = (await last.ready()).replace(/\/$/, '')
  assert.equal(await delivered(there, 'newer'), null)
  await stop(last)
})
