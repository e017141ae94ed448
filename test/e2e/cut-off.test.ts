// Tasks that are cut off while an entry waits: the reason is told, by GET and in the callback, and so is what the entry had met before.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { openDatabase } from '#db/database.ts'
import { newLog } from '#kit/log.ts'
import { type CallbackReceiver, startCallbackReceiver } from '../support/callbacks.ts'
import { HELD_SECONDS, holdLimits } from '../support/held-limits.ts'
import { startReceiver } from '../support/https-receiver.ts'
import { chain, type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { bringForward, untilPutOff } from '../support/put-off.ts'
import { soon, until } from '../support/until.ts'

interface Entry {
  status: string
  retry_at: string | null
  error: { code: string; message: string } | null
}

const told = (entries: Entry[]) => entries.map(({ status, error }) => [status, error?.code ?? null])

describe('a task that is cut off', () => {
  let keepsake: Keepsake
  let receiver: CallbackReceiver
  let busy: Awaited<ReturnType<typeof startReceiver>>
  let picture: Blob

  before(async () => {
    busy = await startReceiver({ answer: (_request, response) => void response.writeHead(503).end() })
    receiver = await startCallbackReceiver()
    keepsake = await startKeepsake()
    picture = new Blob([new Uint8Array(await png(pattern(9, 5, 3)))])
    await configure(keepsake)
  })
  after(async () => {
    await keepsake.stop()
    await receiver.stop()
    await busy.stop()
  })

  async function configure(to: Keepsake): Promise<void> {
    const webhook_url = receiver.url
    const patient = { url: busy.url, delivery_backoff: 3_600 }
    await to.configure(single('flip', 'photo_flip', { method: 'ROTATE_180' }, { webhook_url }))
    await to.configure(single('post', 'http_post', patient))
    for (const [name, entries] of [
      [
        'flip and post',
        [
          ['flip', null],
          ['post', 0],
          ['flip', 1],
        ],
      ],
      [
        'two posts',
        [
          ['post', null],
          ['post', null],
        ],
      ],
      [
        'flip twice',
        [
          ['flip', null],
          ['flip', 0],
        ],
      ],
    ] as const)
      await to.configure(
        chain(
          name,
          entries.map(entry => [...entry]),
          { webhook_url },
        ),
      )
  }

  /** Starts a task whose deliveries have all been put off. */
  async function putOff(path: string, parts: Record<string, string | Blob>, deliveries: number): Promise<string> {
    const { status, body } = await keepsake.send(path, parts)
    assert.equal(status, 202, JSON.stringify(body))
    const here = `${path}${body.task_id}/`
    await until('the deliveries wait for their next attempt', async () => {
      const { body } = await keepsake.client.get(here)
      const entries: Entry[] = body.entries ?? body.tasks.flatMap((each: { entries: Entry[] }) => each.entries)
      return entries.filter(entry => entry.retry_at !== null).length === deliveries
    })
    return here
  }

  it('by a cancel while an entry waits for its next attempt says so, with the last error', async () => {
    const path = await putOff('/api/task/', { configuration_name: 'flip and post', data: picture }, 1)
    assert.equal((await keepsake.client.post(`${path}cancel/`)).status, 202)
    const task = await keepsake.ended(path)
    assert.equal(task.status, 'Cancelled')
    assert.deepEqual(told(task.entries), [
      ['Succeeded', null],
      ['Cancelled', 'cancelled'],
      ['Skipped', null],
    ])
    const { message } = task.entries[1].error
    assert.match(message, /^Cancelled while it waited for its next attempt\. The last attempt failed: .*503/)
    const { results } = JSON.parse(await receiver.bodyFor(task.task_id))
    assert.deepEqual(
      results.map((each: { result: unknown }) => each.result),
      [{ success: true }, message],
    )
  })

  it('by a cancel while several entries wait says so of each', async () => {
    const path = await putOff('/api/task/', { configuration_name: 'two posts', data: picture }, 2)
    assert.equal((await keepsake.client.post(`${path}cancel/`)).status, 202)
    const task = await keepsake.ended(path)
    for (const { error } of task.entries) assert.match(error.message, /next attempt\. .*503/)
    assert.equal(JSON.parse(await receiver.bodyFor(task.task_id)).results.length, 2)
  })

  it('as a group is cancelled in every configuration that had not succeeded', async () => {
    const path = await putOff(
      '/api/taskgroup/',
      {
        configuration_names: '["post","flip twice","flip"]',
        post_data: picture,
        'flip twice_input': 'post',
        flip_data: picture,
        webhook_url: receiver.url,
      },
      1,
    )
    assert.equal((await keepsake.client.post(`${path}cancel/`)).status, 202)
    const group = await keepsake.ended(path)
    assert.deepEqual(
      group.tasks.map((each: { status: string; entries: Entry[] }) => [each.status, told(each.entries)]),
      [
        ['Cancelled', [['Cancelled', 'cancelled']]],
        [
          'Cancelled',
          [
            ['Cancelled', 'cancelled'],
            ['Skipped', null],
          ],
        ],
        ['Cancelled', [['Cancelled', 'cancelled']]],
      ],
    )
    const { results } = JSON.parse(await receiver.bodyFor(group.task_id))
    assert.match(results[0].result, /next attempt\. .*503/)
    assert.deepEqual([results[1].result, results[2].result], ['Cancelled before it ran', 'Cancelled before it ran'])
    const retried = await keepsake.client.post(`${path}retry/`)
    assert.equal(retried.status, 202, 'all of it can be run again')
    assert.equal((await keepsake.client.post(`${path}cancel/`)).status, 202)
    await keepsake.ended(path)
  })

  it('by a cancel that its worker hears of too late ends at once, not at the next attempt', async () => {
    const asked = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<void>()
    const held = await startReceiver({
      answer: async (_request, response) => {
        asked.resolve()
        await answer.promise
        response.writeHead(503).end()
      },
    })
    const { db, close } = openDatabase(keepsake.databaseUrl, newLog('silent', 'test'), { max: 1 })
    try {
      await keepsake.configure(single('held', 'http_post', { url: held.url, delivery_backoff: 3_600 }))
      const { body } = await keepsake.send('/api/task/', { configuration_name: 'held', data: picture })
      await soon('the delivery has come', asked.promise)
      // As the API writes it, but nobody is told.
      await db.updateTable('tasks').set({ cancel_requested: true }).where('task_id', '=', body.task_id).execute()
      answer.resolve()
      const task = await keepsake.ended(`/api/task/${body.task_id}/`)
      assert.deepEqual(told(task.entries), [['Cancelled', 'cancelled']])
    } finally {
      await close()
      await held.stop()
    }
  })

  it('because its time is up says so in every entry that had begun: with the doubt of one that was sent, and the last error of one that waits', async t => {
    const runOut = holdLimits(t, HELD_SECONDS)
    const silent = await startReceiver({ answer: () => new Promise(() => {}) })
    const hurried = await startKeepsake({ settings: { maxTaskSeconds: HELD_SECONDS } })
    try {
      await configure(hurried)
      await hurried.configure(single('stuck', 'http_post', { url: silent.url }))
      await hurried.configure(
        chain('both', [
          ['stuck', null],
          ['post', null],
          ['flip', 1],
        ]),
      )
      const { body } = await hurried.send('/api/task/', { configuration_name: 'both', data: picture })
      const path = `/api/task/${body.task_id}/`
      await until('one is sent and the other one waits', async () => {
        const { entries } = (await hurried.client.get(path)).body
        return silent.received.length === 1 && entries[1].retry_at !== null
      })
      runOut()
      const { entries } = await hurried.ended(path)
      assert.deepEqual(told(entries), [
        ['Failed', 'outcome_unknown'],
        ['Failed', 'time_limit'],
        ['Skipped', null],
      ])
      assert.match(entries[0].error.message, /may or may not have arrived.*KEEPSAKE_MAX_TASK_SECONDS\)\.$/)
      assert.match(entries[1].error.message, /KEEPSAKE_MAX_TASK_SECONDS\)\. The last attempt failed: .*503/)
    } finally {
      await hurried.stop()
      await silent.stop()
    }
  })

  it('because its time is up before anything began fails with time_limit, which its callback says', async () => {
    const silent = await startReceiver({ raw: () => {} })
    const hurried = await startKeepsake({ settings: { maxTaskSeconds: 1 } })
    try {
      await configure(hurried)
      const { body } = await hurried.send('/api/task/', { configuration_name: 'flip twice', data_url: silent.url })
      const task = await hurried.ended(`/api/task/${body.task_id}/`)
      assert.deepEqual(told(task.entries), [
        ['Failed', 'time_limit'],
        ['Skipped', null],
      ])
      const { results } = JSON.parse(await receiver.bodyFor(task.task_id))
      assert.deepEqual(
        results.map((each: { result: unknown }) => each.result),
        [task.entries[0].error.message],
      )
      const group = await hurried.send('/api/taskgroup/', {
        configuration_names: '["flip","flip twice"]',
        flip_data_url: silent.url,
        'flip twice_input': 'flip',
        webhook_url: receiver.url,
      })
      const ended = await hurried.ended(`/api/taskgroup/${group.body.task_id}/`)
      assert.deepEqual(
        ended.tasks.map((each: { status: string; entries: Entry[] }) => [each.status, told(each.entries)]),
        [
          ['Failed', [['Failed', 'time_limit']]],
          [
            'Failed',
            [
              ['Skipped', null],
              ['Skipped', null],
            ],
          ],
        ],
      )
      const of = JSON.parse(await receiver.bodyFor(ended.task_id)).results
      assert.match(of[0].result, /KEEPSAKE_MAX_TASK_SECONDS/)
      assert.equal(of[1].result, 'Not run, because flip before it failed.')
    } finally {
      await hurried.stop()
      await silent.stop()
    }
  })

  it('by a cancel ends also where its end could not be written, without trying over and over', async () => {
    const { db, close } = openDatabase(keepsake.databaseUrl, newLog('silent', 'test'), { max: 1 })
    try {
      // Put off for an hour, then cancelled by somebody who dies: the claim has both.
      const { body } = await keepsake.send('/api/task/', { configuration_name: 'post', data: picture })
      const path = `/api/task/${body.task_id}/`
      await untilPutOff(keepsake.databaseUrl, path)
      const of = db.updateTable('tasks').where('task_id', '=', body.task_id)
      await sql`create function no_end() returns trigger language plpgsql as $$ begin raise exception 'no end'; end $$`.execute(
        db,
      )
      await sql`create trigger no_end before update on tasks for each row when (new.ended_at is not null) execute function no_end()`.execute(
        db,
      )
      // The longest of the pauses is next: nobody is too slow to see it.
      await of.set({ cancel_requested: true, rescues: 4 }).execute()
      await bringForward(keepsake.databaseUrl, path)
      const job = sql<{ pauses: boolean; rescues: number }>`
        select start_after > now() + interval '1 minute' as pauses, rescues from tasks
        join pgboss.job on job.id = job_id where task_id = ${body.task_id} and worker_id is null and rescues > 4`
      const put = await until('it could not be ended', async () => (await job.execute(db)).rows[0])
      assert.deepEqual(put, { pauses: true, rescues: 5 }, 'there is a pause before the next try')
      await sql`drop function no_end cascade`.execute(db)
      await bringForward(keepsake.databaseUrl, path)
      assert.deepEqual(told((await keepsake.ended(path)).entries), [['Cancelled', 'cancelled']])
    } finally {
      await sql`drop function if exists no_end cascade`.execute(db)
      await close()
    }
  })
})
