// Limits of tasks, each named by its setting, and what happens to files when their time is over.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { openDatabase } from '#db/database.ts'
import { newLog } from '#kit/log.ts'
import { newBlobs } from '#storage/blobs.ts'
import { sweep } from '../../src/worker/sweep.ts'
import { cleanUp } from '../support/clean-up.ts'
import { HELD_SECONDS, holdLimits } from '../support/held-limits.ts'
import { type Received, startReceiver } from '../support/https-receiver.ts'
import { chain, type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { until } from '../support/until.ts'

describe('limits', () => {
  let keepsake: Keepsake
  let silent: Awaited<ReturnType<typeof startReceiver>>
  let counted: { most: number; now: number; release: () => void; url: string; stop: () => Promise<void> }
  let picture: Blob

  before(async () => {
    silent = await startReceiver({ answer: () => new Promise<void>(() => {}) })
    counted = await countingServer()
    keepsake = await startKeepsake({
      settings: {
        maxUploadBytes: 100_000,
        maxParts: 4,
        maxExtrasBytes: 1_000,
        maxGroup: 2,
        maxChain: 3,
        maxPixels: 10_000,
        keepFilesDays: 0,
      },
    })
    picture = new Blob([new Uint8Array(await png(pattern(9, 5, 3)))])
    await keepsake.configure(single('flip', 'photo_flip', { method: 'ROTATE_180' }))
    await keepsake.configure(single('count', 'http_post', { url: counted.url, delivery_attempts: 1 }))
  })
  after(() =>
    cleanUp(
      () => keepsake.stop(),
      () => silent.stop(),
      () => counted.stop(),
    ),
  )

  const run = async (parts: Record<string, string | Blob>) => {
    const { status, body } = await keepsake.send('/api/task/', parts)
    assert.equal(status, 202, JSON.stringify(body))
    return keepsake.ended(`/api/task/${body.task_id}/`)
  }

  it('a delivery that takes too long fails at once, by the limit of an entry and by that of the task', async t => {
    const runOut = holdLimits(t, HELD_SECONDS)
    await isCutOff({ maxEntrySeconds: HELD_SECONDS }, 'KEEPSAKE_MAX_ENTRY_SECONDS', runOut)
    await isCutOff({ maxTaskSeconds: HELD_SECONDS }, 'KEEPSAKE_MAX_TASK_SECONDS', runOut)
  })

  async function isCutOff(settings: Partial<Keepsake['settings']>, setting: string, runOut: () => void): Promise<void> {
    const hurried = await startKeepsake({ settings })
    try {
      const before = silent.received.length
      await hurried.configure(single('stuck', 'http_post', { url: silent.url, delivery_attempts: 1 }))
      await hurried.configure(
        chain('two stuck', [
          ['stuck', null],
          ['stuck', 0],
        ]),
      )
      await hurried.configure(single('again', 'http_post', { url: silent.url, delivery_attempts: 1, idempotent: true }))
      const run = async (configuration_name: string) => {
        const { body } = await hurried.send('/api/task/', { configuration_name, data: picture })
        return hurried.ended(`/api/task/${body.task_id}/`)
      }
      const ended = Promise.all([run('two stuck'), run('again')])
      await until('both are sent', () => silent.received.length === before + 2)
      runOut()
      const [task, again] = await ended
      assert.deepEqual(
        task.entries.map((entry: { status: string }) => entry.status),
        ['Failed', 'Skipped'],
      )
      const { code, message } = task.entries[0].error
      assert.equal(code, 'outcome_unknown', 'all of it was sent, and nobody answered')
      assert.match(message, /may or may not have arrived/)
      assert.ok(message.includes(setting), message)
      const { error } = again.entries[0]
      assert.deepEqual([error.code, error.message.includes(setting)], ['time_limit', true], 'it may be sent once more')
      const { body: receipt } = await hurried.client.post(`/api/task/${task.task_id}/retract/`)
      assert.deepEqual(
        receipt.kept.map((line: { reason: string }) => line.reason),
        ['Whether it was delivered is not known: look there.'],
      )
    } finally {
      await hurried.stop()
    }
  }

  it('too many bytes are a 413, too many parts and configurations a 400, each naming its setting', async () => {
    const cases: [string, Record<string, string | Blob>, number, RegExp][] = [
      [
        '/api/task/',
        { configuration_name: 'flip', data: new Blob([new Uint8Array(100_001)]) },
        413,
        /KEEPSAKE_MAX_UPLOAD_BYTES/,
      ],
      [
        '/api/task/',
        { configuration_name: 'flip', data: picture, extras: JSON.stringify({ a: 'x'.repeat(1_000) }) },
        413,
        /KEEPSAKE_MAX_EXTRAS_BYTES/,
      ],
      ['/api/taskgroup/', { configuration_names: '["a","b","c"]' }, 400, /KEEPSAKE_MAX_GROUP/],
      [
        '/api/taskgroup/',
        { configuration_names: '["flip"]', a_data: picture, b_data: picture, c_data: picture, d_data: picture },
        400,
        /KEEPSAKE_MAX_PARTS/,
      ],
    ]
    for (const [path, parts, status, words] of cases) {
      const answer = await keepsake.send(path, parts)
      assert.equal(answer.status, status, JSON.stringify(answer.body))
      assert.match(answer.body.detail, words)
    }
    const long = await keepsake.client.post(
      '/api/configuration/',
      chain('long', [
        ['flip', null],
        ['flip', 0],
        ['flip', 1],
        ['flip', 2],
      ]),
    )
    assert.equal(long.status, 400)
    assert.match(long.body.detail, /KEEPSAKE_MAX_CHAIN/)
  })

  it('a picture with too many pixels fails by its header', async () => {
    const task = await run({
      configuration_name: 'flip',
      data: new Blob([new Uint8Array(await png(pattern(200, 100, 3)))]),
    })
    assert.equal(task.entries[0].error.code, 'too_many_pixels')
    assert.match(task.entries[0].error.message, /KEEPSAKE_MAX_PIXELS/)
  })

  it('an experience runs at most max_running tasks at once, and all of them in the end', async () => {
    assert.equal((await keepsake.client.patch('/api/experience/park/', { max_running: 2 })).status, 200)
    const tasks = await Promise.all(
      Array.from(
        { length: 6 },
        async () => (await keepsake.send('/api/task/', { configuration_name: 'count', data: picture })).body,
      ),
    )
    const ended = Promise.all(tasks.map(task => keepsake.ended(`/api/task/${task.task_id}/`)))
    await until('two run', () => counted.now >= 2)
    const pump = setInterval(counted.release, 50)
    const all = await ended.finally(() => clearInterval(pump))
    assert.ok(
      all.every(task => task.status === 'Succeeded'),
      JSON.stringify(all.map(task => task.entries[0].error)),
    )
    assert.equal(counted.most, 2)
    await keepsake.client.patch('/api/experience/park/', { max_running: null })
  })

  it('a task that waits for its next attempt makes room for the next one of its experience at once', async () => {
    const asked = new Set<string>()
    const away = await startReceiver({
      answer: ({ headers }, response) => {
        asked.add(String(headers['idempotency-key']))
        response.writeHead(503).end()
      },
    })
    const { db, close } = openDatabase(keepsake.databaseUrl, newLog('silent', 'test'), { max: 1 })
    /** Whether a task has no job although nobody runs and nobody may. */
    async function standsIdle(): Promise<boolean | undefined> {
      const { rows } = await sql<{ idle: boolean }>`
        select bool_or(job_id is null) and not bool_or(worker_id is not null or job_id is not null and not later) as idle
        from tasks cross join lateral (
          select coalesce(bool_or(retry_at > now()), false) as later
          from chains join entries using (chain_id) where chains.task_id = tasks.task_id
        ) entries where experience_id = 'lane' and status in ('Waiting', 'Running')`.execute(db)
      return rows[0]?.idle
    }
    try {
      await keepsake.configure(
        single('away', 'http_post', { url: away.url, delivery_backoff: 3_600 }, { experience_id: 'lane' }),
      )
      assert.equal((await keepsake.client.patch('/api/experience/lane/', { max_running: 1 })).status, 200)
      const send = () => keepsake.send('/api/task/', { configuration_name: 'away', data: picture })
      const tasks = await Promise.all(Array.from({ length: 6 }, send))
      await until('all were tried', async () => {
        assert.equal(await standsIdle(), false, 'the place was free while others waited for it')
        return asked.size === 6
      })
      for (const { body } of tasks) await keepsake.client.post(`/api/task/${body.task_id}/cancel/`)
    } finally {
      await close()
      await away.stop()
    }
  })

  it('files past their retention are 410, and the record is still there', async () => {
    const task = await run({ configuration_name: 'flip', data: picture })
    const log = newLog('silent', 'test')
    const { db, close } = openDatabase(keepsake.databaseUrl, log, { max: 2 })
    await db
      .updateTable('tasks')
      .set({ ended_at: new Date(Date.now() - 86_400_000) })
      .where('task_id', '=', task.task_id)
      .execute()
    try {
      const blobs = await newBlobs(null, keepsake.settings.data, {
        accessKey: null,
        secretKey: null,
        sessionToken: null,
      })
      await sweep({ db, blobs, settings: keepsake.settings, log })
    } finally {
      await close()
    }
    const gone = await keepsake.client.get(`/api/task/${task.task_id}/output/0/`)
    assert.deepEqual([gone.status, gone.body.code], [410, 'gone'])
    assert.equal((await keepsake.client.get(`/api/task/${task.task_id}/`)).body.status, 'Succeeded')
  })
})

/** Counts how many requests are under way at once, and answers one whenever it is told to. */
async function countingServer() {
  const waiting: (() => void)[] = []
  const state = { most: 0, now: 0 }
  const server = await startReceiver({
    answer: async (_request: Received, response) => {
      state.now++
      state.most = Math.max(state.most, state.now)
      await new Promise<void>(resolve => waiting.push(resolve))
      state.now--
      response.end()
    },
  })
  return {
    get most() {
      return state.most
    },
    get now() {
      return state.now
    },
    release: () => waiting.shift()?.(),
    url: server.url,
    stop: () => server.stop(),
  }
}
