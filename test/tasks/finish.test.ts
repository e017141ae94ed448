// The end of a task and who attempts its callback: a courier at once, or a job of the queue.
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { type Db, openDatabase } from '#db/database.ts'
import { type ClaimedCallback, overdueCallbacks } from '#db/nouns/callback-rows.ts'
import { openSecrets } from '#db/nouns/experience-rows.ts'
import { ClaimLost, endEntries } from '#db/tasks/entry-rows.ts'
import { type WholeTask, wholeTask } from '#db/tasks/task-rows.ts'
import { rememberUpload } from '#db/tasks/upload-rows.ts'
import { newId } from '#kit/ids.ts'
import { newLog } from '#kit/log.ts'
import { secretBox } from '#kit/secret/secrets.ts'
import { newExposedMeters } from '#kit/telemetry/prometheus.ts'
import { startQueue } from '#queue/queue.ts'
import { type Courier, finishTask } from '#tasks/end/finish.ts'
import { loadTask } from '#tasks/entry/loaded.ts'
import type { TaskServices } from '#tasks/task-services.ts'
import { cleanUp } from '../support/clean-up.ts'
import { testDatabase } from '../support/postgres.ts'
import { seedRows } from '../support/seed-rows.ts'
import { until } from '../support/until.ts'

const URL = 'https://park.test/hook'

async function newHouse(t: TestContext) {
  const log = newLog('silent', 'test')
  const { url } = await testDatabase(t)
  await lookForDeadlocksAfter(url, '3s')
  const database = openDatabase(url, log, { max: 4 })
  const { db } = database
  const queue = await startQueue(database, log, false)
  t.after(() =>
    cleanUp(
      () => queue.stop(),
      () => database.close(),
    ),
  )
  const box = secretBox([randomBytes(32)])
  const { task_id, callback_id } = await seedRows(db, box, 'park')
  await db.deleteFrom('callbacks').where('callback_id', '=', callback_id).execute()
  const running = { status: 'Running' as const, claim: randomUUID(), webhook_url: URL, ended_at: null }
  await db.updateTable('tasks').set(running).where('task_id', '=', task_id).execute()
  const task = (await wholeTask(db, task_id)) as WholeTask
  // What ends a task of no guest needs no more of the house.
  const lines: string[] = []
  const told = newLog('info', 'test', { write: line => void lines.push(line) })
  const meters = newExposedMeters({ part: 'worker', version: '0', known: {} })
  const services = { db, queue, adapters: new Map(), log: told, meters } as unknown as TaskServices
  const callbacks = () => db.selectFrom('callbacks').selectAll().execute()
  const jobs = async () =>
    (
      await db
        .selectFrom('pgboss.job' as 'callbacks')
        .selectAll()
        .execute()
    ).length
  return {
    url,
    db,
    box,
    services,
    lines,
    meters,
    task,
    callbacks,
    jobs,
    ending: { task: loadTask(new Map(), task, new Map()), spentSeconds: 1 },
  }
}

/** PostgreSQL looks once in each wait, after one second: too early where the other side of a deadlock is slow to come. */
async function lookForDeadlocksAfter(url: string, time: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    `alter database ${client.escapeIdentifier(client.database ?? '')} set deadlock_timeout = '${time}'`,
  )
  await client.end()
}

class Recording implements Courier {
  readonly workerId = newId()
  readonly heard: (ClaimedCallback | string)[] = []
  readonly jobId = newId()

  reserve(receiver: string) {
    assert.equal(receiver, 'park.test')
    return {
      jobId: this.jobId,
      attempt: (callback: ClaimedCallback) => void this.heard.push(callback),
      attemptIfThere: (callbackId: string) => void this.heard.push(callbackId),
    }
  }
}

test('with a courier the callback is its worker’s from the start, and no job is made for it', async t => {
  const { services, ending, callbacks, jobs, box } = await newHouse(t)
  const courier = new Recording()
  await finishTask(services, { ...ending, counted: false }, courier)
  const [row, ...more] = await callbacks()
  assert.equal(more.length, 0)
  const { worker_id, job_id, status, url } = row ?? {}
  assert.deepEqual([worker_id, job_id, status, url], [courier.workerId, courier.jobId, 'Waiting', URL])
  const [heard] = courier.heard as ClaimedCallback[]
  assert.deepEqual([heard?.callback_id, heard?.body, heard?.attempt_count], [row?.callback_id, row?.body, 0])
  assert.equal(openSecrets(box, 'park', heard as ClaimedCallback).length, 1, 'it can be signed')
  assert.equal(await jobs(), 0)
})

test('the log and the metrics tell of the end, and of no guest', async t => {
  const { db, services, task, lines, meters, ending } = await newHouse(t)
  await db
    .updateTable('chains')
    .set({ extras: JSON.stringify({ email: ['ada@park.test'], title: 'For Ada' }) })
    .execute()
  await finishTask(services, { ...ending, counted: false }, new Recording())
  const ends = lines.map(line => JSON.parse(line)).filter(({ msg }) => msg === 'task ended')
  assert.equal(ends.length, 1)
  const { ms, worked_ms, time: _time, ...end } = ends[0]
  assert.ok(ms >= 0 && worked_ms === 1000, JSON.stringify(ends[0]))
  const [chain] = task.chains
  assert.deepEqual(end, {
    level: 30,
    part: 'test',
    task_id: task.task_id,
    status: 'Failed',
    experience_id: 'park',
    configuration: task.is_group ? [chain?.configuration] : task.configuration,
    run: 1,
    entries: chain?.entries.length,
    attempts: 0,
    codes: ['corrupt_input'],
    msg: 'task ended',
  })
  assert.ok(!lines.join('').includes('Ada') && !lines.join('').includes('ada@'))
  const text = await meters.read()
  assert.match(text, /^keepsake_tasks_ended_total\{status="Failed"\} 1$/m)
  assert.match(text, /^keepsake_task_seconds_count\{status="Failed"\} 1$/m)
  assert.match(
    text,
    /^keepsake_tasks_ended_total\{status="Succeeded"\} 0$/m,
    'a series is there before its first event',
  )
})

test('without one, or without room, it waits as a job', async t => {
  const { services, ending, callbacks, jobs } = await newHouse(t)
  const full: Courier = { workerId: newId(), reserve: () => null }
  await finishTask(services, { ...ending, counted: false }, full)
  assert.equal((await callbacks())[0]?.worker_id, null)
  assert.equal(await jobs(), 1)
})

test('when the answer to the end is lost, the courier looks whether there is a callback', async t => {
  const { db, services, ending, callbacks } = await newHouse(t)
  const courier = new Recording()
  const deaf = {
    transaction: () => ({
      async execute(work: Parameters<ReturnType<Db['transaction']>['execute']>[0]) {
        await db.transaction().execute(work)
        throw new Error('Connection terminated unexpectedly')
      },
    }),
  } as unknown as Db
  await assert.rejects(finishTask({ ...services, db: deaf }, { ...ending, counted: true }, courier), ClaimLost)
  assert.deepEqual(courier.heard, [(await callbacks())[0]?.callback_id])
  assert.equal((await callbacks()).length, 1, 'the second try ended nothing')
})

test('what a courier has in hand is not given to another before its time is up', async t => {
  const { db, services, ending } = await newHouse(t)
  await finishTask(services, { ...ending, counted: false }, new Recording())
  const since = (seconds: number) =>
    db
      .updateTable('callbacks')
      .set({ next_attempt_at: new Date(Date.now() - seconds * 1000) })
      .execute()
  await since(30)
  assert.deepEqual(await overdueCallbacks(db, 1, null, 10), [])
  await since(61)
  assert.equal((await overdueCallbacks(db, 1, null, 10)).length, 1)
})

test('the end of an entry and the file it owns are written by whoever holds the claim, or not at all', async t => {
  const { db, ending, task } = await newHouse(t)
  const [chain] = task.chains
  const blob = newId()
  await rememberUpload(db, blob)
  const facts = { mime: 'image/png', medium: 'image' as const, ext: '.png', bytes: 1, sha256: 'a' }
  const output = { ...facts, blob, width: 1, height: 1, duration: null, frames: null }
  const ends = [{ index: 0, status: 'Succeeded' as const, result: { success: true }, output }]
  const ended = { chain_id: chain?.chain_id as string, ends, blobs: [blob] }
  const entry = () => db.selectFrom('entries').select(['status', 'output']).where('chain_id', '=', ended.chain_id)
  const uploads = async () => (await db.selectFrom('uploads').select('blob').execute()).map(row => row.blob)

  const { task_id, claim } = ending.task
  await assert.rejects(endEntries(db, { task_id, claim: randomUUID() }, ended), ClaimLost)
  assert.equal((await entry().executeTakeFirstOrThrow()).status, 'Failed')
  assert.deepEqual(await uploads(), [blob])

  await endEntries(db, { task_id, claim }, ended)
  const written = await entry().executeTakeFirstOrThrow()
  assert.deepEqual([written.status, written.output], ['Succeeded', output])
  assert.deepEqual(await uploads(), [])
})

/** Ends the task for one guest while another process, which knows nothing of the order of locks, is in the middle of a transaction. */
async function endBeside(t: TestContext, begin: string, whenItWaits?: string) {
  const { url, db, services, ending, task } = await newHouse(t)
  const profile = { profile_id: newId(), experience_id: null }
  await db
    .insertInto('profiles')
    .values({ ...profile, attributes: '{}', created_at: new Date(), updated_at: new Date() })
    .execute()
  const value = { kind: 'rfid' as const, key: 'guest', value: 'guest', position: 0 }
  await db
    .insertInto('profile_lookups')
    .values({ ...profile, ...value })
    .execute()
  const chains = task.chains.map(chain => ({ ...chain, extras: { rfid: 'guest' } }))
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  // Whoever waits longer is to be the one that fails.
  await other.query(`set deadlock_timeout = '1min'`)
  await other.query('begin')
  await other.query(begin)
  const guested = loadTask(new Map(), { ...task, chains }, new Map())
  const finished = finishTask(services, { ...ending, task: guested, counted: false })
  finished.catch(() => {})
  await until('the end waits for the other process', async () => {
    // In a transaction it is looked at once, and what connects later is not seen.
    await other.query('select pg_stat_clear_snapshot()')
    const { rows } = await other.query(
      'select from pg_stat_activity where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0',
    )
    return rows.length > 0
  })
  if (whenItWaits) await other.query(whenItWaits)
  await other.query('commit')
  await other.end()
  const { status } = await finished
  const guests = await db.selectFrom('task_guests').select('profile_id').where('task_id', '=', task.task_id).execute()
  return { status, guests: guests.map(({ profile_id }) => profile_id), profile_id: profile.profile_id }
}

test('an end that met a deadlock is tried again, and not the task', async t => {
  const lock = `select pg_advisory_xact_lock(hashtextextended('rfid:guest', 1))`
  const { status, guests, profile_id } = await endBeside(t, 'select from tasks for update', lock)
  assert.equal(status, 'Failed', 'as its only entry has')
  assert.deepEqual(guests, [profile_id])
})

test('a guest who is deleted while their task ends is nobody’s guest any more, and the task ends', async t => {
  const { status, guests } = await endBeside(t, 'delete from profiles')
  assert.equal(status, 'Failed', 'as its only entry has')
  assert.deepEqual(guests, [])
})
