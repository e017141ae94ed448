// A whole Keepsake behind a pooler in transaction mode: what needs a connection of its own goes past it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { runApi, runWorker } from '../../src/app.ts'
import { cleanUp } from '../support/clean-up.ts'
import { newClient } from '../support/client.ts'
import { startReceiver } from '../support/https-receiver.ts'
import { single, startKeepsake } from '../support/keepsake.ts'
import { pgbouncer, startPgbouncer } from '../support/pgbouncer.ts'
import { pattern, png } from '../support/pictures.ts'
import { until } from '../support/until.ts'

const SERVERS = 4
const TASKS = 24

test('tasks go through a pooler in transaction mode, with few connections to the database', {
  skip: pgbouncer ? false : 'there is no pgbouncer here',
}, async t => {
  const clean: (() => unknown)[] = []
  t.after(() => cleanUp(...clean.reverse()))
  const receiver = await startReceiver()
  clean.push(receiver.stop)
  // Only its database, folder and settings are used.
  const keepsake = await startKeepsake({ worker: false })
  clean.push(keepsake.stop)
  const direct = new URL(keepsake.databaseUrl)
  direct.searchParams.delete('host')
  const pooler = await startPgbouncer(direct.href, SERVERS)
  clean.push(pooler.stop)
  const settings = { ...keepsake.settings, databaseUrl: pooler.url, databaseSessionUrl: direct.href }
  const api = await runApi(settings)
  clean.push(() => api.drain())
  const worker = await runWorker(settings)
  clean.push(() => worker.drain())
  const client = newClient({ url: api.url as string, token: keepsake.token })
  for (const configuration of [
    single('flip', 'photo_flip', { method: 'ROTATE_180' }),
    single('post', 'http_post', { url: `${receiver.url}/in` }),
    {
      configuration_name: 'both',
      experience_id: 'park',
      call_chain: [
        ['flip', null],
        ['post', 0],
      ],
      webhook_url: `${receiver.url}/hook`,
    },
  ])
    assert.equal((await client.post('/api/configuration/', configuration)).status, 201)
  const picture = new Blob([new Uint8Array(await png(pattern(24, 16, 3)))])
  const sent = await Promise.all(
    Array.from({ length: TASKS }, async () => {
      const form = new FormData()
      form.append('configuration_name', 'both')
      form.append('data', picture)
      return client.send('POST', '/api/task/', { body: form })
    }),
  )
  assert.deepEqual([...new Set(sent.map(({ status }) => status))], [202])
  const told = (path: string): number => receiver.received.filter(({ url }) => url === path).length
  await until('all have ended and said so', () => told('/hook') === TASKS)
  assert.equal(told('/in'), TASKS)
  // Events come by LISTEN.
  const events = await fetch(`${api.url}/api/task/${sent[0]?.body.task_id}/events/`, {
    headers: { authorization: `Bearer ${keepsake.token}` },
  })
  assert.match(await events.text(), /event: end\n/)
  const watcher = new pg.Client(keepsake.databaseUrl)
  clean.push(() => watcher.end())
  await watcher.connect()
  // Those of the other API come by the socket file.
  const { rows } = await watcher.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity where datname = current_database() and client_port > 0
     and application_name ~ '^keepsake (api|worker) '`,
  )
  const [{ count = 0 } = {}] = rows
  assert.ok(count > 0 && count <= SERVERS, `${count} connections`)
})
