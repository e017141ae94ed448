// What is locked and then read: a row that another transaction makes between the two statements is not taken for a locked one.
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import pg from 'pg'
import { openDatabase, type Trx } from '#db/database.ts'
import { lockAssetIfAny } from '#db/nouns/asset-rows.ts'
import { lockProfile } from '#db/nouns/profile-rows.ts'
import { lockTask } from '#db/tasks/steer-rows.ts'
import { newLog } from '#kit/log.ts'
import { secretBox } from '#kit/secret/secrets.ts'
import { testDatabase } from '../support/postgres.ts'
import { type Seeded, seedRows } from '../support/seed-rows.ts'

/** The same queries; after the first of them `act` is done, by another connection. */
function interrupted<Q extends object>(queries: Q, act: () => Promise<unknown>): Q {
  let isDone = false
  const wrap = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(from, key) {
        const value = Reflect.get(from, key, from)
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          const result = value.apply(from, args)
          if (result instanceof Promise)
            return result.then(async answer => {
              if (!isDone) await act()
              isDone = true
              return answer
            })
          return key === 'toOperationNode' || typeof result !== 'object' ? result : wrap(result)
        }
      },
    })
  return wrap(queries)
}

const locks: [string, key: keyof Seeded, (trx: Trx, id: string) => Promise<unknown>][] = [
  ['assets', 'name', (trx, name) => lockAssetIfAny(trx, null, name)],
  ['profiles', 'profile_id', (trx, id) => lockProfile(trx, null, id)],
  ['tasks', 'task_id', lockTask],
]

for (const [table, key, lock] of locks)
  test(`${table}: a lock on one that is just being made finds none`, async t => {
    const { url } = await testDatabase(t)
    const database = openDatabase(url, newLog('silent', 'test'), { max: 4 })
    t.after(() => database.close())
    const { db } = database
    const ids = await seedRows(db, secretBox([randomBytes(32)]), 'park')
    const show = await hide(url, [table, key, ids[key]])
    const found = await db.transaction().execute(trx => lock(interrupted(trx, show), ids[key]))
    assert.ok(!found, 'what was not locked is not handed out')
    assert.ok(await db.transaction().execute(trx => lock(trx, ids[key])), 'the next one locks it')
  })

/** Gives the row another key, and then its own one back. What refers to it is not in the way. */
async function hide(url: string, [table, key, value]: readonly [string, string, string]) {
  const client = new pg.Client(url)
  await client.connect()
  await client.query('set session_replication_role = replica')
  const other = key === 'name' ? 'hidden' : randomUUID()
  const rename = (from: string, to: string) =>
    client.query(`update ${table} set ${key} = $2 where ${key} = $1`, [from, to])
  await rename(value, other)
  return async () => {
    await rename(other, value)
    await client.end()
  }
}
