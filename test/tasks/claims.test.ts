// Two who hold a claim of the same task: only the one that the database knows of may write, and nothing the other does has an effect.
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { type Db, openDatabase } from '#db/database.ts'
import { listFailures } from '#db/nouns/failure-rows.ts'
import { databaseTime } from '#db/ping.ts'
import type { EntryOutput } from '#db/tables.ts'
import {
  beginEntries,
  type Claim,
  ClaimLost,
  deferEntry,
  endChain,
  endEntries,
  keepDownload,
  saveDeaths,
  saveForLater,
  saveProgress,
} from '#db/tasks/entry-rows.ts'
import { claimTasks, nextParked, releaseTask } from '#db/tasks/task-claims.ts'
import { endTask, lockClaimedTask } from '#db/tasks/task-ends.ts'
import { type EntryRow, type WholeTask, wholeTask } from '#db/tasks/task-rows.ts'
import { condemnUploads, rememberUpload } from '#db/tasks/upload-rows.ts'
import { isProblem } from '#kit/errors.ts'
import { newId } from '#kit/ids.ts'
import { newLog } from '#kit/log.ts'
import { secretBox } from '#kit/secret/secrets.ts'
import { countedAttempts } from '#tasks/run/retry-policy.ts'
import { testDatabase } from '../support/postgres.ts'
import { seedRows } from '../support/seed-rows.ts'
import { until } from '../support/until.ts'

async function newTask(t: TestContext, maxRunning: number | null = null) {
  const log = newLog('silent', 'test')
  const { url } = await testDatabase(t)
  const database = openDatabase(url, log, { max: 4 })
  t.after(() => database.close())
  const { db } = database
  const { task_id } = await seedRows(db, secretBox([randomBytes(32)]), 'park')
  const job_id = newId()
  /** As a crash of the database leaves it that has forgotten the claim, though not the job. */
  const forget = () =>
    db
      .updateTable('tasks')
      .set({ status: 'Waiting', claim: null, worker_id: null, job_id, ended_at: null, started_at: null })
      .where('task_id', '=', task_id)
      .execute()
  await forget()
  await db.updateTable('entries').set({ status: 'Waiting', ended_at: null }).execute()
  await db.updateTable('experiences').set({ max_running: maxRunning }).execute()
  const claim = async (by: string = randomUUID(), worker_id = newId()) => {
    const { claimed } = await db
      .transaction()
      .execute(trx => claimTasks(trx, [{ task_id, job_id, experience_id: 'park', claim: by }], worker_id))
    return claimed[0]
  }
  return { db, task_id, job_id, claim, forget }
}

const attempt = { index: 0, attempts: 1 }

/** Every way to write for a task; each answers whether it was let in. */
const writes: Record<string, (db: Db, claim: Claim, task: WholeTask) => Promise<unknown>> = {
  beginEntries: (db, claim, { chains: [chain] }) => beginEntries(db, claim, chain?.chain_id ?? '', [attempt]),
  endEntries: (db, claim, { chains: [chain] }) =>
    endEntries(db, claim, {
      chain_id: chain?.chain_id ?? '',
      ends: [{ index: 0, status: 'Failed', error: { code: 'internal', message: '' } }],
      blobs: [],
    }),
  deferEntry: (db, claim, { chains: [chain] }) =>
    deferEntry(db, claim, chain?.chain_id ?? '', attempt, new Date(), { code: 'internal', message: '' }),
  endChain: (db, claim, { chains: [chain] }) => endChain(db, claim, chain?.chain_id ?? '', 'Succeeded'),
  saveProgress: (db, claim, { chains: [chain] }) => saveProgress(db, claim, chain?.chain_id ?? '', new Map([[0, 0.5]])),
  saveForLater: (db, claim, { chains: [chain] }) =>
    saveForLater(db, claim, chain?.chain_id ?? '', 0, { checkpoint: { part: 1 } }),
  saveDeaths: (db, claim, { chains: [chain] }) =>
    saveDeaths(db, claim, chain?.chain_id ?? '', [{ index: 0, deaths: 1 }]),
  keepDownload: async (db, claim, { chains: [chain] }) => {
    const blob = newId()
    await rememberUpload(db, blob)
    await keepDownload(db, claim, chain?.chain_id ?? '', {}, blob)
  },
  releaseTask: (db, claim) =>
    db.transaction().execute(async trx => {
      if (!(await releaseTask(trx, claim, { lane: 'picture', jobId: newId() }, { seconds: 1 }))) throw new ClaimLost()
    }),
  lockClaimedTask: (db, claim) =>
    db.transaction().execute(async trx => {
      if (!(await lockClaimedTask(trx, claim))) throw new ClaimLost()
    }),
  endTask: async (db, { claim }, task) => {
    const end = {
      task: { ...task, claim, status: 'Failed' as const },
      spentSeconds: 1,
      callback: null,
    }
    if (!(await endTask(db, end))) throw new ClaimLost()
  },
}

for (const [name, write] of Object.entries(writes))
  test(`${name}: a claim that the database has forgotten holds nothing, the new one does`, async t => {
    const { db, task_id, claim, forget } = await newTask(t)
    const worker = newId()
    const first = await claim(randomUUID(), worker)
    await forget()
    // Even of the same worker, which was handed the same job once more.
    const second = await claim(randomUUID(), worker)
    assert.ok(first && second)
    assert.notEqual(first.claim, second.claim)
    const before = await wholeTask(db, task_id)
    await assert.rejects(write(db, first, first), ClaimLost)
    assert.deepEqual(await wholeTask(db, task_id), before, 'nothing was changed')
    await write(db, second, second)
  })

/** What gives a blob an owner; the same twice, as after a lost answer. */
const takings: Record<string, (db: Db, task: Claim, chainId: string, blob: string) => Promise<void>> = {
  'the output of an entry': (db, task, chain_id, blob) => {
    const output = { blob, sha256: '' } as EntryOutput
    return endEntries(db, task, { chain_id, ends: [{ index: 0, status: 'Succeeded', output }], blobs: [blob] })
  },
  'a downloaded input': (db, task, chainId, blob) => keepDownload(db, task, chainId, { file: { blob } }, blob),
}

for (const [what, take] of Object.entries(takings))
  test(`${what} is a file that is there, or is made again`, async t => {
    const { db, claim } = await newTask(t)
    const task = await claim()
    if (!task) throw new Error('it was not claimed')
    const chainId = task.chains[0]?.chain_id ?? ''
    const blob = newId()
    const before = await wholeTask(db, task.task_id)
    const isMadeAgain = (error: unknown) => isProblem(error, 'unavailable')
    await assert.rejects(take(db, task, chainId, blob), isMadeAgain, 'the sweeper has deleted it')
    await rememberUpload(db, blob)
    await condemnUploads(db, [blob])
    await assert.rejects(take(db, task, chainId, blob), isMadeAgain, 'the sweeper deletes it')
    assert.deepEqual(await wholeTask(db, task.task_id), before, 'nothing was changed')
    const next = newId()
    await rememberUpload(db, next)
    await assert.rejects(take(db, { ...task, claim: randomUUID() }, chainId, next), ClaimLost)
    for (let time = 0; time < 2; time++) await take(db, task, chainId, next)
    assert.deepEqual(
      (await db.selectFrom('uploads').select('blob').execute()).map(row => row.blob),
      [blob],
    )
  })

for (const maxRunning of [null, 1])
  test(`who comes second gets nothing, be it the same worker (${maxRunning})`, async t => {
    const { claim } = await newTask(t, maxRunning)
    const worker = newId()
    const mine = randomUUID()
    assert.equal((await claim(mine, worker))?.claim, mine)
    assert.equal(await claim(), undefined)
    assert.equal(await claim(randomUUID(), worker), undefined)
  })

test('a place that is freed goes to a task that was parked at the same moment', async t => {
  const { db, task_id, job_id } = await newTask(t, 0)
  const isWaitedFor = async () => {
    const { rows } = await sql`select from pg_locks where locktype = 'advisory' and not granted`.execute(db)
    return rows.length > 0
  }
  const wake = () => db.transaction().execute(trx => nextParked(trx, 'park'))
  const woken = await db.transaction().execute(async trx => {
    await claimTasks(trx, [{ task_id, job_id, experience_id: 'park', claim: randomUUID() }], newId())
    const waking = wake()
    await Promise.race([waking, until('it waits for the other', isWaitedFor)])
    return { waking }
  })
  assert.equal((await woken.waking)?.task_id, task_id)
})

test('a claim does not wait for somebody who looks for a free place, and comes again', async t => {
  const { db, task_id, job_id } = await newTask(t, 1)
  const wanted = { task_id, job_id, experience_id: 'park', claim: randomUUID() }
  const claim = () => db.transaction().execute(trx => claimTasks(trx, [wanted], newId()))
  await db.transaction().execute(async trx => {
    await nextParked(trx, 'park')
    assert.deepEqual(await claim(), { claimed: [], held: [job_id] })
  })
  assert.equal((await claim()).claimed[0]?.task_id, task_id)
})

for (const maxRunning of [null, 1])
  test(`a pause is as long for a machine whose clock is hours off (${maxRunning})`, async t => {
    const { db, task_id, claim, forget } = await newTask(t, maxRunning)
    const begun = Date.now()
    let off = 5
    const ours = () => begun + off * 3_600_000
    t.mock.method(Date, 'now', ours)
    const theirs = async () => (await databaseTime(db)).getTime()
    const first = await claim()
    assert.ok(first)
    const chainId = first.chains[0]?.chain_id ?? ''
    const error = { code: 'internal', message: '' }
    const earliest = await theirs()
    await deferEntry(db, first, chainId, attempt, new Date(ours() + 60_000), error)
    const latest = await theirs()
    const retryAt = (task: WholeTask | undefined) => task?.chains[0]?.entries[0]?.retry_at?.getTime() ?? 0
    const stored = retryAt(await wholeTask(db, task_id)) - 60_000
    assert.ok(stored >= earliest - 1 && stored <= latest + 1, 'the database’s time is stored')
    for (const hours of [5, -3, 0]) {
      await forget()
      off = hours
      const before = await theirs()
      const passed = 60_000 - (retryAt(await claim()) - ours())
      const after = await theirs()
      assert.ok(passed >= before - stored - 1 && passed <= after - stored + 1, `off by ${hours} hours`)
    }
  })

/** A write whose answer is lost is made again. */
for (const name of ['beginEntries', 'deferEntry', 'endEntries', 'saveDeaths', 'saveForLater'] as const)
  test(`${name}: made twice by the same claim it counts once`, async t => {
    const { db, task_id, claim } = await newTask(t)
    const task = await claim()
    assert.ok(task)
    const written = async () => {
      await writes[name]?.(db, task, task)
      const { chains } = (await wholeTask(db, task_id)) ?? { chains: [] }
      return chains.flatMap(({ entries }) => entries).map(({ attempts, deaths, status }) => [attempts, deaths, status])
    }
    assert.deepEqual(await written(), await written())
    const failures = await listFailures(db, task_id)
    assert.ok(name === 'deferEntry' || failures.length <= 1, `${failures.length} failures are listed`)
  })

test('an attempt that ended with its worker was made, and counts against none', async t => {
  const { db, task_id, claim } = await newTask(t)
  const task = await claim()
  if (!task) throw new Error('it was not claimed')
  await beginEntries(db, { ...task, claim: task.claim as string }, task.chains[0]?.chain_id ?? '', [attempt])
  const before = (await wholeTask(db, task_id))?.chains[0]?.entries[0] as EntryRow
  await db.transaction().execute(trx => releaseTask(trx, task, { lane: 'picture', jobId: newId() }, { seconds: 1 }))
  const entry = (await wholeTask(db, task_id))?.chains[0]?.entries[0] as EntryRow
  assert.deepEqual([entry.status, entry.attempts], ['Waiting', before.attempts])
  assert.equal(countedAttempts(entry), countedAttempts(before) - 1)
})
