// Many ends at once over the same guests: each waits for the other, never in a circle, and no work is done twice.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'

describe('many ends at once', () => {
  let keepsake: Keepsake
  let picture: Blob
  const activity_config = { experience_id: 'park', activity_type: 'photo', payload: { object_id: 'gate' } }

  before(async () => {
    keepsake = await startKeepsake()
    picture = new Blob([new Uint8Array(await png(pattern(9, 5, 3)))])
    for (const name of ['one', 'two'])
      await keepsake.configure(single(name, 'photo_flip', { method: 'ROTATE_180' }, { activity_config }))
  })
  after(() => keepsake.stop())

  const ask = async <T extends pg.QueryResultRow>(sql: string): Promise<T[]> => {
    const client = new pg.Client({ connectionString: keepsake.databaseUrl })
    await client.connect()
    try {
      return (await client.query<T>(sql)).rows
    } finally {
      await client.end()
    }
  }
  const newProfile = async (profile: object): Promise<string> => {
    const { status, body } = await keepsake.client.post('/api/profile/', profile)
    assert.equal(status, 201, JSON.stringify(body))
    return body.profile_id
  }
  const startGroup = async (names: string[], guests: object[]) => {
    const parts = names.flatMap((name, index): [string, string | Blob][] => [
      [`${name}_data`, picture],
      [`${name}_extras`, JSON.stringify(guests[index])],
    ])
    const { status, body } = await keepsake.send('/api/taskgroup/', {
      configuration_names: JSON.stringify(names),
      ...Object.fromEntries(parts),
    })
    assert.equal(status, 202, JSON.stringify(body))
    return `/api/taskgroup/${body.task_id}/`
  }
  const runTask = async (extras: object) => {
    const parts = { configuration_name: 'one', data: picture, extras: JSON.stringify(extras) }
    const { status, body } = await keepsake.send('/api/task/', parts)
    assert.equal(status, 202, JSON.stringify(body))
    return keepsake.ended(`/api/task/${body.task_id}/`)
  }
  /** A task that was handed back is claimed again. */
  const claimedAgain = () => ask('select task_id, rescues from tasks where rescues > 0')
  const ranTwice = () => ask('select chain_id, index, attempts from entries where attempts > 1')
  /** A connection tells what it counted when it ends. */
  const deadlocks = async () => {
    await ask(`select pg_terminate_backend(pid, 10000) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`)
    const [row] = await ask<{ deadlocks: string }>(
      'select deadlocks from pg_stat_database where datname = current_database()',
    )
    return Number(row?.deadlocks)
  }

  it('groups with the same guests in opposite order end without a circle', async () => {
    for (const rfid of ['left', 'right']) await newProfile({ rfid })
    const guests = [{ rfid: 'left' }, { rfid: 'right' }]
    const paths = await Promise.all(
      Array.from({ length: 24 }, (_, round) =>
        // Also the configurations, whose snapshots are kept with the group.
        startGroup(round % 4 < 2 ? ['one', 'two'] : ['two', 'one'], round % 2 ? guests : guests.toReversed()),
      ),
    )
    // One after the other: a token may follow only so many at once.
    for (const path of paths) {
      const group = await keepsake.ended(path)
      assert.equal(group.status, 'Succeeded')
      const { items } = (await keepsake.client.get(`/api/activity/?task_id=${group.task_id}`)).body
      assert.equal(items.length, 2)
    }
    assert.deepEqual([await claimedAgain(), await ranTwice()], [[], []])
    assert.equal(await deadlocks(), 0)
  })

  it('profiles that are changed, moved, deleted and made while tasks end for them', async () => {
    const values = (guest: number) => ({ rfid: [`r${guest}`, `s${guest}`], email: `g${guest}@park.test` })
    const ids = await Promise.all(Array.from({ length: 4 }, (_, guest) => newProfile(values(guest))))
    let running = true
    const churn = async (guest: number) => {
      for (let round = 0; running; round++) {
        const path = `/api/profile/${ids[guest]}/`
        const other = { rfid: [`s${guest}`, `r${guest}`], experience_id: round % 2 ? 'park' : null }
        const patched = await keepsake.client.patch(path, other)
        assert.equal(patched.status, 200, JSON.stringify(patched.body))
        if (round % 3 !== 2) continue
        assert.equal((await keepsake.client.delete(path)).status, 204)
        ids[guest] = await newProfile(values(guest))
      }
    }
    const churning = Promise.all(ids.map((_id, guest) => churn(guest)))
    const run = async (turn: number) => {
      const [near, far] = [turn % 4, (turn + 1) % 4]
      const first = { rfid: [`r${near}`], email: [`g${far}@park.test`] }
      const second = { rfid: [`s${far}`], profile_id: [ids[near] as string], qr_code: 'nobody' }
      if (turn % 2) return runTask(first)
      const group = turn % 4 ? startGroup(['one', 'two'], [first, second]) : startGroup(['two', 'one'], [second, first])
      return keepsake.ended(await group)
    }
    const lanes = Array.from({ length: 8 }, async (_, lane) => {
      for (let round = 0; round < 8; round++) assert.equal((await run(lane + round)).status, 'Succeeded')
    })
    await Promise.all(lanes).finally(() => {
      running = false
    })
    await churning
    assert.deepEqual([await claimedAgain(), await ranTwice()], [[], []])
    assert.equal(await deadlocks(), 0)
  })
})
