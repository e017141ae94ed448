// Listening for changes of tasks only while somebody watches.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { CHANGE_CHANNEL } from '#db/notify.ts'
import { newLog } from '#kit/log.ts'
import { newChanges } from '#tasks/show/changes.ts'
import { cleanUp } from '../support/clean-up.ts'
import { testDatabase } from '../support/postgres.ts'
import { until } from '../support/until.ts'

test('a change wakes whoever watches, and nobody listens when nobody watches', async t => {
  const { url } = await testDatabase()
  const client = new pg.Client(url)
  const changes = newChanges(url, newLog('silent', 'test'), 20)
  t.after(() =>
    cleanUp(
      () => changes.close(),
      () => client.end(),
    ),
  )
  await client.connect()
  const others = async (): Promise<number> => {
    const own = `datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`
    const { rows } = await client.query(`select count(*)::int as n from pg_stat_activity where ${own}`)
    return rows[0].n
  }
  assert.equal(await others(), 0)
  for (let round = 0; round < 2; round++) {
    let woken = 0
    const watched = changes.watch('task-1', () => woken++)
    // Woken once when it hears at last: what came before that was missed.
    await until('it is woken', () => woken > 0)
    assert.equal(await others(), 1)
    await client.query('select pg_notify($1, $2)', [CHANGE_CHANNEL, 'task-2'])
    await client.query('select pg_notify($1, $2)', [CHANGE_CHANNEL, 'task-1'])
    await until('it is woken again', () => woken > 1)
    assert.equal(woken, 2)
    watched[Symbol.dispose]()
    await until('nobody listens any more', async () => (await others()) === 0)
  }
})

test('one who comes while the last connection ends is heard too', async t => {
  const { url } = await testDatabase()
  const changes = newChanges(url, newLog('silent', 'test'), 0)
  t.after(() => changes.close())
  for (let round = 0; round < 10; round++) {
    let woken = 0
    const watched = changes.watchAll(() => woken++)
    await until('it is woken', () => woken > 0, undefined, 1)
    watched[Symbol.dispose]()
    await sleep(round % 3)
  }
})
