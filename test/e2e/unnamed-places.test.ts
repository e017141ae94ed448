// Where a delivery lies stays known when a person of several is deleted: it is found by that when the others are erased, or when it is tried again.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import { openDatabase } from '#db/database.ts'
import { newLog } from '#kit/log.ts'
import { MASK } from '#kit/mask.ts'
import { type Destination, startDestination } from '../support/chaos-destination.ts'
import { cleanUp } from '../support/clean-up.ts'
import type { Answer, Client } from '../support/client.ts'
import { type Receiver, startReceiver } from '../support/https-receiver.ts'
import { chain, type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { until } from '../support/until.ts'

let keepsake: Keepsake
let admin: Client
let database: ReturnType<typeof openDatabase>
let store: Destination
let receiver: Receiver
let hookStatus = 410
let picture: Blob

before(async () => {
  picture = new Blob([new Uint8Array(await png(pattern(9, 5, 3)))])
  store = await startDestination()
  receiver = await startReceiver({
    answer({ url }, response) {
      if (url === '/hook') return void response.writeHead(hookStatus).end()
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"for": "anna@x.org"}')
    },
  })
  keepsake = await startKeepsake()
  admin = keepsake.client
  database = openDatabase(keepsake.databaseUrl, newLog('silent', 'test'), { max: 1 })
  const auth = { access_key: 'key', secret_key: 'secret-key' }
  const place = { bucket_name: 'souvenirs', bucket_url: store.url, file_prefix: '{{profile.email}}/' }
  const defaults = { ...place, delivery_attempts: 1, delivery_backoff: 0.1 }
  await keepsake.configure(single('store', 's3_upload', defaults, { adapter_config: { auth, defaults } }))
  await keepsake.configure(single('post', 'http_post', { url: `${receiver.url}/post` }))
  const entries: [string, number | null][] = [
    ['post', null],
    ['store', 0],
  ]
  await keepsake.configure(chain('both', entries, { webhook_url: `${receiver.url}/hook` }))
})
after(() =>
  cleanUp(
    () => database.close(),
    () => keepsake.stop(),
    () => Promise.all([store.stop(), receiver.stop()]),
  ),
)
beforeEach(async () => {
  store.objects.clear()
  store.mood = () => 'fine'
  hookStatus = 410
  receiver.received.length = 0
  for (const { profile_id } of (await admin.get('/api/profile/')).body.items)
    await admin.delete(`/api/profile/${profile_id}/`)
})

/** Anna comes first, so places are made of her values. */
async function people(): Promise<{ anna: string; bob: string; extras: string }> {
  const emails = ['anna@x.org', 'bob@x.org']
  const [anna, bob] = await Promise.all(
    emails.map(async email => (await admin.post('/api/profile/', { experience_id: 'park', email })).body.profile_id),
  )
  return { anna, bob, extras: JSON.stringify({ email: emails }) }
}
async function send(path: string, parts: Record<string, string | Blob>): Promise<Answer['body']> {
  const { status, body } = await keepsake.send(path, parts)
  assert.equal(status, 202, JSON.stringify(body))
  return keepsake.ended(`${path}${body.task_id}/`)
}
/** Its file arrived, and nobody knows. */
async function lose(extras: string): Promise<Answer['body']> {
  store.mood = () => 'lost_answer'
  const task = await send('/api/task/', { configuration_name: 'store', data: picture, extras })
  assert.equal(task.status, 'Failed', JSON.stringify(task))
  store.mood = () => 'fine'
  assert.deepEqual(keys(), [`anna@x.org/${task.task_id}-0.png`])
  return task
}
const keys = (): string[] => [...store.objects.keys()]
const remove = async (profileId: string): Promise<void> =>
  assert.equal((await admin.delete(`/api/profile/${profileId}/`)).status, 204)
const placesOf = async (taskId: string): Promise<unknown[]> => {
  const { rows } = await sql<{ place_values: unknown }>`
    select place_values from entries join chains using (chain_id) where task_id = ${taskId} order by entries.index`.execute(
    database.db,
  )
  return rows.map(({ place_values }) => place_values)
}

describe('the place of a delivery that did not succeed', () => {
  it('is where the erasure of another guest looks for the file', async () => {
    const { anna, bob, extras } = await people()
    const task = await lose(extras)
    await remove(anna)
    const { body } = await admin.delete(`/api/profile/${bob}/?media=retract`)
    assert.deepEqual(
      [body.status, body.removed.map(({ task_id }: Answer['body']) => task_id), body.kept],
      ['Done', [task.task_id], []],
      JSON.stringify(body),
    )
    assert.deepEqual(keys(), [])
  })

  it('is where it is delivered to when the task is run again', async () => {
    const { anna, extras } = await people()
    const task = await lose(extras)
    const path = `/api/task/${task.task_id}/`
    await remove(anna)
    assert.equal((await admin.post(`${path}retry/`)).status, 202)
    const { status, entries } = await keepsake.ended(path)
    assert.equal(status, 'Succeeded', JSON.stringify(entries))
    assert.deepEqual(keys(), [entries[0].result.file_key])
  })

  it('stays also where the task waits to be run again', async () => {
    const { anna, extras } = await people()
    const { task_id } = await lose(extras)
    await sql`update entries set status = 'Waiting', started_at = null, checkpoint = null
      from chains c where c.chain_id = entries.chain_id and task_id = ${task_id}`.execute(database.db)
    await remove(anna)
    assert.deepEqual(await placesOf(task_id), [{ 'profile.email': 'anna@x.org' }])
  })
})

it('the place of a delivery goes when that was taken back, and stays while it can be', async () => {
  const { anna, extras } = await people()
  const [taken, kept] = [
    await send('/api/task/', { configuration_name: 'store', data: picture, extras }),
    await send('/api/task/', { configuration_name: 'store', data: picture, extras }),
  ]
  assert.equal((await admin.post(`/api/task/${taken.task_id}/retract/`)).status, 200)
  await remove(anna)
  assert.deepEqual(await placesOf(taken.task_id), [null])
  assert.deepEqual(await placesOf(kept.task_id), [{ 'profile.email': 'anna@x.org' }])
})

describe('a callback that was given up', () => {
  const callbackOf = (taskId: string, status: string): Promise<Answer['body']> =>
    until('the callback was tried', async () => {
      const [callback] = (await admin.get(`/api/callback/?task_id=${taskId}`)).body.items
      return callback?.status === status && callback
    })
  const sent = (): string[] => receiver.received.filter(({ url }) => url === '/hook').map(({ body }) => body.toString())

  for (const [name, path, partsFor] of [
    ['of a task', '/api/task/', (extras: string) => ({ configuration_name: 'both', data: picture, extras })],
    [
      'of a task group',
      '/api/taskgroup/',
      (extras: string) => ({
        configuration_names: '["post","both"]',
        post_data: picture,
        post_extras: extras,
        both_data: picture,
        both_extras: extras,
        webhook_url: `${receiver.url}/hook`,
      }),
    ],
  ] as const)
    it(`${name} names the person no longer when it is sent again, and has addresses that work`, async () => {
      const { anna, extras } = await people()
      const task = await send(path, partsFor(extras))
      assert.equal(task.status, 'Succeeded', JSON.stringify(task))
      const { callback_id } = await callbackOf(task.task_id, 'GivenUp')
      const [key] = keys() as [string]
      await remove(anna)
      hookStatus = 200
      assert.equal((await admin.post(`/api/callback/${callback_id}/resend/`)).status, 202)
      await callbackOf(task.task_id, 'Delivered')
      const [first, again] = sent() as [string, string]
      assert.ok(key.startsWith('anna@x.org/'))
      assert.equal(again, first.replaceAll('"for":"anna@x.org"', `"for":"${MASK}"`))
      assert.notEqual(again, first)
      assert.ok(again.includes(`"file_key":"${key}"`), again)
    })
})
