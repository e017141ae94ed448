// What needs a hand: failures by cause, what is tried again from the first attempt on, callbacks that were given up; and how far behind lanes are.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { openDatabase } from '#db/database.ts'
import { newLog } from '#kit/log.ts'
import type { Client } from '../support/client.ts'
import { type Received, type Receiver, startReceiver } from '../support/https-receiver.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { putOff } from '../support/put-off.ts'
import { until } from '../support/until.ts'

const MANY = 3
let keepsake: Keepsake
let receiver: Receiver
let admin: Client
let limited: Client
let picture: Blob
let isDown = true
let refusesHooks = true

before(async () => {
  receiver = await startReceiver({
    answer: async ({ url }: Received, response) => {
      const isHook = url.startsWith('/hook')
      response.statusCode = (isHook && refusesHooks) || (!isHook && isDown) ? (isHook ? 410 : 503) : 200
      response.end()
    },
  })
  keepsake = await startKeepsake()
  admin = keepsake.client
  picture = new Blob([new Uint8Array(await png(pattern(40, 30, 3)))])
  const { configure } = keepsake
  await configure(single('flip', 'photo_flip', { method: 'ROTATE_180' }, { webhook_url: `${receiver.url}/hook` }))
  await configure(single('sent', 'http_post', { url: `${receiver.url}/put` }))
  await configure({ ...single('elsewhere', 'photo_flip', { method: 'ROTATE_180' }), experience_id: 'zoo' })
  const { body } = await admin.post('/api/token/', { name: 'zoo', scopes: ['tasks'], experiences: ['zoo'] })
  limited = admin.as(body.token)
})
after(async () => {
  await keepsake?.stop()
  await receiver?.stop()
})

const trouble = async (client = admin, query = '') => {
  const { status, body } = await client.get(`/api/trouble/${query}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}
const task = async (configuration_name: string, data: Blob) => {
  const { status, body } = await keepsake.send('/api/task/', { configuration_name, data })
  assert.equal(status, 202, JSON.stringify(body))
  return body.task_id as string
}
const ended = (id: string) => keepsake.ended(`/api/task/${id}/`)

test('with nothing wrong there is nothing to do', async () => {
  const { workers, disk, ...rest } = await trouble()
  assert.deepEqual(rest, {
    failed: [],
    failing: [],
    retrying: [],
    given_up: [],
    receivers: [],
    shared_lookups: [],
    waiting: 0,
    stalled: [],
  })
  assert.deepEqual([workers.alive.length, workers.silent], [1, []])
  assert.ok(disk.total_bytes > disk.free_bytes && typeof disk.low === 'boolean')
})

test('failures stand by cause, with what a retry of just these needs', async () => {
  const ids: string[] = []
  for (let n = 0; n < MANY; n++) ids.push(await task('flip', new Blob(['no picture'])))
  for (const id of ids) await ended(id)
  await ended(await task('elsewhere', new Blob(['no picture'])))
  const { failed } = await trouble()
  assert.equal(failed.length, 2)
  const [cause] = failed
  assert.deepEqual([cause.configuration, cause.count, cause.is_group], ['flip', MANY, false])
  assert.ok(ids.includes(cause.task_id) && cause.message.length > 10)
  const { error_code, configuration, first_created_at: created_after } = cause
  const filter = { status: 'Failed', error_code, configuration, created_after, dry_run: true }
  assert.deepEqual((await admin.post('/api/task/retry/', filter)).body, { count: MANY })
  assert.deepEqual(
    (await trouble(admin, '?experience_id=zoo')).failed.map((one: { configuration: string }) => one.configuration),
    ['elsewhere'],
  )
})

test('a token sees the trouble of its experiences, and no machine', async () => {
  const own = await trouble(limited)
  assert.deepEqual(
    own.failed.map((one: { configuration: string }) => one.configuration),
    ['elsewhere'],
  )
  assert.deepEqual([own.workers, own.disk, own.given_up, own.receivers], [null, null, [], []])
  const foreign = await trouble(limited, '?experience_id=park')
  assert.deepEqual([foreign.failed, foreign.workers], [[], null])
  assert.equal((await limited.get('/api/stats/?experience_id=park')).body.running, 0)
  assert.equal((await admin.get('/api/trouble/?experience=zoo')).status, 400)
  assert.equal((await admin.get(`/api/trouble/?experience_id=${'x'.repeat(300)}`)).status, 400)
})

test('callbacks that were given up stand by receiver, and are sent again together', async () => {
  const host = new URL(receiver.url).host
  const [cause] = await until('they are given up', async () => {
    const { given_up } = await trouble()
    return given_up[0]?.count === MANY ? given_up : undefined
  })
  assert.deepEqual([cause.receiver, cause.status_code], [host, 410])
  assert.match(cause.last_error, /410/)
  const filter = { status: 'GivenUp', receiver: host, created_after: cause.first_created_at }
  const foreign = await admin.post('/api/callback/resend/', { ...filter, receiver: 'other.example.com', dry_run: true })
  assert.deepEqual(foreign.body, { count: 0 })
  assert.deepEqual((await limited.post('/api/callback/resend/', { ...filter, dry_run: true })).body, { count: 0 })
  const tasks = (await admin.get('/api/task/?configuration=flip&limit=2')).body.items
  const task_ids = tasks.map(({ task_id }: { task_id: string }) => task_id)
  assert.deepEqual((await admin.post('/api/callback/resend/', { task_ids, dry_run: true })).body, { count: 2 })
  assert.equal((await admin.post('/api/callback/resend/', { task_ids: ['x'], dry_run: true })).status, 400)
  refusesHooks = false
  assert.equal((await admin.post('/api/callback/resend/', filter)).body.count, MANY)
  await until('none is left', async () => (await trouble()).given_up.length === 0 || undefined)
})

test('a destination that is tried again shows at once, with its reason and next try; and is tried now', async () => {
  const id = await task('sent', picture)
  const cause = await until('it shows', async () => (await trouble()).retrying[0])
  assert.deepEqual(
    [cause.configuration, cause.adapter_name, cause.count, cause.task_id, cause.chains, cause.is_group],
    ['sent', 'http_post', 1, id, ['sent'], false],
  )
  assert.match(cause.message, /503/)
  assert.equal((await admin.get(`/api/task/${id}/`)).body.status, 'Running')
  assert.deepEqual(
    (await trouble()).failed.filter((one: { configuration: string }) => one.configuration === 'sent'),
    [],
  )
  // Far away, so that only "now" can bring it.
  await putOff(keepsake.databaseUrl, id, '1 hour')
  const { next_at } = (await trouble()).retrying[0]
  assert.ok(next_at === null || new Date(next_at) > new Date(), 'an hour away')
  assert.deepEqual((await limited.post('/api/task/try-now/', { ids: [id], dry_run: true })).body, { count: 0 })
  assert.equal((await admin.post('/api/task/try-now/', {})).status, 400)
  assert.deepEqual((await admin.post('/api/taskgroup/try-now/', { ids: [id], dry_run: true })).body, { count: 0 })
  isDown = false
  await until('it can be hastened', async () => {
    const { body } = await admin.post('/api/task/try-now/', { configuration: 'sent', dry_run: true })
    return body.count === 1 || undefined
  })
  assert.deepEqual((await admin.post('/api/task/try-now/', { configuration: 'sent' })).body, { count: 1 })
  assert.equal((await ended(id)).status, 'Succeeded')
  assert.deepEqual((await trouble()).retrying, [])
  assert.deepEqual((await admin.post('/api/task/try-now/', { configuration: 'sent', dry_run: true })).body, {
    count: 0,
  })
  const { items } = (await admin.get(`/api/audit/?object_id=${id}`)).body
  assert.deepEqual([items[0].action, items[0].after.tried_now], ['retry', true])
})

test('a step that fails five times in a row on several inputs stands by itself, until it succeeds', async () => {
  const failing = async (client = admin) => (await trouble(client)).failing
  const gauge = async (adapter: string): Promise<string | undefined> => {
    const { body } = await admin.get('/metrics')
    return new RegExp(`^keepsake_adapter_failing\\{adapter="${adapter}"\\} (\\d)$`, 'm').exec(body)?.[1]
  }
  assert.deepEqual(await failing(), [], 'others have failed, but not five times')
  const last = await task('flip', new Blob(['no picture']))
  await ended(last)
  const [step, ...rest] = await failing()
  assert.deepEqual(
    [step.adapter_name, step.error_code, step.task_id, rest],
    ['photo_flip', 'unsupported_format', last, []],
  )
  assert.deepEqual(await failing(limited), [], 'its experience had one failure')
  assert.deepEqual([await gauge('photo_flip'), await gauge('video_flip')], ['1', '0'])
  assert.equal((await ended(await task('flip', picture))).status, 'Succeeded')
  assert.deepEqual([await failing(), await gauge('photo_flip')], [[], '0'])
})

test('a lane is behind by what waits and how fast it goes', async () => {
  const { db, close } = openDatabase(keepsake.databaseUrl, newLog('silent', 'test'), { max: 1 })
  const stats = async (query = '') => (await admin.get(`/api/stats/${query}`)).body
  const picturesBehind = async (query = '') =>
    (await stats(query)).behind.find(({ lane }: { lane: string }) => lane === 'picture')
  try {
    assert.deepEqual(await picturesBehind(), { lane: 'picture', waiting: 0, seconds: 0, stalled: false })
    const before = await stats()
    assert.ok(before.last_minute.succeeded + before.last_minute.failed >= 0)
    // As if 120 tasks had ended in the last minute and 360 waited; nobody takes them, because they have no job.
    const insert = (status: string, number: number, experience: string) => sql`
      insert into tasks (task_id, flow_id, is_group, configuration, experience_id, status, lane, warnings, created_at, started_at, ended_at)
      select gen_random_uuid(), gen_random_uuid(), false, 'flip', ${experience}, ${status}, 'picture', '[]', now() - interval '2 minutes',
        case when ${status} = 'Waiting' then null else now() - interval '21 seconds' end,
        case when ${status} = 'Waiting' then null else now() - interval '20 seconds' end
      from generate_series(1, ${number})`
    await insert('Waiting', 360, 'aviary').execute(db)
    const stalled = await picturesBehind('?experience_id=aviary')
    assert.deepEqual([stalled.waiting, stalled.stalled, stalled.seconds > 100], [360, true, true])
    assert.deepEqual((await trouble(admin, '?experience_id=aviary')).stalled, ['picture'])
    assert.deepEqual((await trouble(limited)).stalled, [])
    await insert('Succeeded', 120, 'aviary').execute(db)
    const behind = await picturesBehind('?experience_id=aviary')
    assert.deepEqual([behind.waiting, behind.stalled], [360, false])
    assert.ok(behind.seconds >= 170 && behind.seconds <= 190, `${behind.seconds} s behind`)
    assert.equal((await picturesBehind('?experience_id=park')).seconds, 0)
  } finally {
    await sql`delete from tasks where experience_id = 'aviary'`.execute(db)
    await close()
  }
})
