// Listening for changes of tasks only while somebody watches.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { CHANGE_CHANNEL } from '#db/changes.ts'
import { newLog } from '#kit/log.ts'
import { newChanges } from '#tasks/changes.ts'
import { testDatabase } from '../support/postgres.ts'

test('a change wakes whoever watches, and nobody listens when nobody watches', async t => {
  const { url } = await testDatabase()
  const client = new pg.Client(url)
  await client.connect()
  const changes = newChanges(url, newLog('silent', 'test'), 20)
  t.after(async () => {
    await changes.close()
    await client.end()
  })
  const others = async (): Promise<number> => {
    const own = `datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`
    const { rows } = await client.query(`select count(*)::int as n from pg_stat_activity where ${own}`)
    return rows[0].n
  }
  const until = async (wanted: number): Promise<void> => {
    for (const end = Date.now() + 5_000; (await others()) !== wanted; await sleep(5))
      assert.ok(Date.now() < end, `${await others()} connections instead of ${wanted}`)
  }
  assert.equal(await others(), 0)
  for (let round = 0; round < 2; round++) {
    let woken = 0
    const watched = changes.watch('task-1', () => woken++)
    // Woken once when it hears at last: what came before that was missed.
    while (woken === 0) await sleep(5)
    assert.equal(await others(), 1)
    await client.query('select pg_notify($1, $2)', [CHANGE_CHANNEL, 'task-2'])
    await client.query('select pg_notify($1, $2)', [CHANGE_CHANNEL, 'task-1'])
    while (woken === 1) await sleep(5)
    assert.equal(woken, 2)
    watched[Symbol.dispose]()
    await until(0)
  }
})

test('one who comes while the last connection ends is heard too', async t => {
  const { url } = await testDatabase()
  const changes = newChanges(url, newLog('silent', 'test'), 0)
  t.after(() => changes.close())
  for (let round = 0; round < 10; round++) {
    let woken = 0
    const watched = changes.watchAll(() => woken++)
    for (const end = Date.now() + 5_000; woken === 0; await sleep(1)) assert.ok(Date.now() < end, 'it was never woken')
    watched[Symbol.dispose]()
    await sleep(round % 3)
  }
})
