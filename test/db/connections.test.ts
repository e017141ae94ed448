// How many connections a process opens: what docs/operations.md says, and no more, however much is asked at once.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { openDatabase } from '#db/database.ts'
import { retryWhileAway } from '#db/retry-while-away.ts'
import { connectionName } from '#db/running.ts'
import { newLog } from '#kit/log.ts'
import { databaseUse } from '../../src/app.ts'
import { cleanUp } from '../support/clean-up.ts'
import { startKeepsake } from '../support/keepsake.ts'
import { testDatabase } from '../support/postgres.ts'
import { soon, until } from '../support/until.ts'

const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')
const rowOf = (process: string): number[] =>
  (new RegExp(`^\\| ${process} \\|(.*)\\|$`, 'm').exec(page)?.[1] ?? '').split('|').map(Number)

async function named(client: pg.Client): Promise<Record<string, number>> {
  const { rows } = await client.query<{ name: string; count: number }>(
    `select 'keepsake ' || split_part(application_name, ' ', 2) as name, count(*)::int as count from pg_stat_activity
     where datname = current_database() and application_name like 'keepsake %' group by 1`,
  )
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]))
}

for (const [part, process] of [
  ['api', 'API'],
  ['worker', 'worker'],
] as const) {
  test(`the pool of a ${process} opens what is documented at most`, async t => {
    const { url, drop } = await testDatabase()
    const database = openDatabase(url, newLog('silent', 'test'), {
      ...databaseUse[part],
      name: connectionName(part, []),
    })
    const client = new pg.Client(url)
    t.after(() => cleanUp(database.close, () => client.end(), drop))
    await client.connect()
    const asked = Array.from({ length: 80 }, () => sql`select pg_sleep(0.3)`.execute(database.db))
    const [queries = 0, listening = 0, presence = 0, together] = rowOf(process)
    await until('they are all open', async () => (await named(client))[`keepsake ${part}`] === queries)
    await Promise.all(asked)
    assert.deepEqual(await named(client), { [`keepsake ${part}`]: queries })
    assert.equal(together, queries + listening + presence)
  })
}

test('beside its pools a worker has a connection that listens and one for its presence, an API one while somebody follows', async t => {
  const keepsake = await startKeepsake()
  const client = new pg.Client(keepsake.databaseUrl)
  t.after(() => cleanUp(() => client.end(), keepsake.stop))
  await client.connect()
  const sessions = async () => {
    const { 'keepsake listening': listening, 'keepsake presence': presence } = await named(client)
    return [listening, presence]
  }
  const [, listening, presence] = rowOf('worker')
  // The worker does not wait for them: on a busy machine it may have to try again.
  await until('both are there', async () => (await sessions()).every(Boolean))
  assert.deepEqual(await sessions(), [listening, presence])
  const over = new AbortController()
  const authorization = `Bearer ${keepsake.token}`
  await Promise.all(
    [1, 2].map(() => fetch(`${keepsake.url}/api/task/events/`, { headers: { authorization }, signal: over.signal })),
  )
  await until('the API listens', async () => (await sessions())[0] === (listening ?? 0) + (rowOf('API')[2] ?? 0))
  over.abort()
})

test('a process that must end waits for no statement and for no database that is away', async t => {
  const { url, drop } = await testDatabase()
  const { db, ...database } = openDatabase(url, newLog('silent', 'test'))
  const away = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
  let tries = 0
  const waits = Promise.allSettled([
    sql`select pg_sleep(1000)`.execute(db),
    retryWhileAway(async () => {
      tries++
      if (tries < 3) throw away
      return sql`select 1`.execute(db)
    }),
  ])
  await until('it is tried again', () => tries > 1)
  t.after(() => cleanUp(database.close, drop))
  database.giveUp()
  const ends = await soon('all is given up', waits)
  assert.deepEqual(
    ends.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  await soon('nothing is left', database.close())
})
