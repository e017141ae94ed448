// A person who is deleted is named no longer in what stays: results, errors, activities of others, callbacks.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { openDatabase } from '#db/database.ts'
import { unnameTasks } from '#db/erasures/unnamed-tasks.ts'
import { deleteOldRecords } from '#db/tasks/retention.ts'
import { newLog } from '#kit/log.ts'
import { MASK } from '#kit/mask.ts'
import { cleanUp } from '../support/clean-up.ts'
import type { Answer, Client } from '../support/client.ts'
import { type Receiver, startReceiver } from '../support/https-receiver.ts'
import { chain, type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { type MailReceiver, startSmtp } from '../support/smtp.ts'
import { until } from '../support/until.ts'

let keepsake: Keepsake
let admin: Client
let root: string
let picture: Blob
let mail: MailReceiver
let receiver: Receiver
let database: ReturnType<typeof openDatabase>
let refusal = 403
const released = Promise.withResolvers<void>()

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'keepsake-local-'))
  mail = await startSmtp({ user: { name: 'booth', password: 'booth-of-the-park' } })
  receiver = await startReceiver({
    async answer({ url }, response) {
      if (url === '/refused') return void response.writeHead(refusal).end('{}')
      if (url === '/later') return void response.writeHead(503).end()
      if (url === '/slow') await released.promise
      const named = { 'Anna@x.org': 'queued', 'anna@X.org': 'seen', at: 4915112345678, file: '/out/04A2B3C4.png' }
      const said = { for: 'guest Anna@x.org, +4915112345678', not: 'joanna@x.org', ...named }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(said))
    },
  })
  // A callback that is refused waits for longer than the tests take.
  keepsake = await startKeepsake({ settings: { localRoot: root, callbackDelays: [600] } })
  admin = keepsake.client
  database = openDatabase(keepsake.databaseUrl, newLog('silent', 'test'), { max: 2 })
  picture = new File([new Uint8Array(await png(pattern(9, 5, 3)))], '04A2B3C4.png')
  const auth = { host: '127.0.0.1', port: mail.port, from: 'booth@park.example', username: 'booth' }
  const activity_config = { experience_id: 'park', activity_type: 'photo', payload: { object_id: 'ride' } }
  const defaults = { subject: 'Yours', text: 'Look', delivery_attempts: 1 }
  const adapter_config = { auth: { ...auth, password: 'booth-of-the-park' }, defaults }
  await keepsake.configure(single('flip', 'photo_flip', { method: 'ROTATE_180' }))
  await keepsake.configure(single('mail', 'email_send', {}, { adapter_config, activity_config }))
  await keepsake.configure(single('post', 'http_post', { url: `${receiver.url}/post` }))
  await keepsake.configure(single('slow', 'http_post', { url: `${receiver.url}/slow` }))
  await keepsake.configure(single('refused', 'http_post', { url: `${receiver.url}/refused` }))
  await keepsake.configure(single('folder', 'local_file', { folder: 'out/{{profile.email}}' }, { activity_config }))
  const entries: [string, number | null][] = [
    ['flip', null],
    ['mail', 0],
    ['post', 0],
    ['folder', 0],
  ]
  await keepsake.configure(chain('all', entries, { webhook_url: `${receiver.url}/hook` }))
  const corrected: [string, number | null][] = [
    ['mail', null],
    ['refused', 0],
  ]
  await keepsake.configure(chain('corrected', corrected))
  await keepsake.configure(chain('waiting', entries.slice(0, 2), { webhook_url: `${receiver.url}/later` }))
})
after(() =>
  cleanUp(
    () => released.resolve(),
    () => database.close(),
    () => keepsake.stop(),
    () => receiver.stop(),
    () => mail.stop(),
    () => rm(root, { recursive: true, force: true }),
  ),
)

const begin = async (configuration_name: string, extras: object): Promise<string> => {
  const { body, status } = await keepsake.send('/api/task/', {
    configuration_name,
    data: picture,
    extras: JSON.stringify(extras),
  })
  assert.equal(status, 202, JSON.stringify(body))
  return body.task_id
}
const run = async (...given: Parameters<typeof begin>): Promise<Answer['body']> =>
  keepsake.ended(`/api/task/${await begin(...given)}/`)
const profile = async (given: object): Promise<string> => {
  const { status, body } = await admin.post('/api/profile/', { experience_id: 'park', ...given })
  assert.equal(status, 201, JSON.stringify(body))
  return body.profile_id
}
const phone = '+49 151 12345678'
const people = async (): Promise<[string, string]> => [
  await profile({ email: 'anna@x.org', rfid: '04A2B3C4', attributes: { phone } }),
  await profile({ email: 'bob@x.org' }),
]
const person = /\banna@|4915112345678|04A2B3C4/i
const both = { email: ['anna@x.org', 'bob@x.org', 'carla@x.org'] }
const callbackOf = async (taskId: string, status: string): Promise<Answer['body']> =>
  until('the callback was tried', async () => {
    const [callback] = (await admin.get(`/api/callback/?task_id=${taskId}`)).body.items
    return callback?.status === status && callback.attempts.length > 0 && callback
  })
/** All that is stored of a task. */
const stored = async (taskId: string): Promise<string> => {
  const { rows } = await sql`
    select to_json(t) as task, (select json_agg(c) from chains c where c.task_id = t.task_id) as chains,
      (select json_agg(e) from chains c join entries e using (chain_id) where c.task_id = t.task_id) as entries,
      (select json_agg(f) from task_failures f where f.task_id = t.task_id) as failures,
      (select json_agg(a) from activities a where a.task_id = t.task_id) as activities,
      (select json_agg(l) from lookups l where l.task_id = t.task_id) as lookups,
      (select json_agg(b) from callbacks b where b.task_id = t.task_id) as callbacks
    from tasks t where t.task_id = ${taskId}`.execute(database.db)
  return JSON.stringify(rows[0])
}

describe('a person who shares a task with others', () => {
  afterEach(async () => {
    for (const { profile_id } of (await admin.get('/api/profile/')).body.items)
      await admin.delete(`/api/profile/${profile_id}/`)
  })

  for (const query of ['', '?media=retract'])
    it(`is named in it no longer (${query || 'plain'})`, async () => {
      const [anna, bob] = await people()
      const task = await run('all', both)
      assert.equal(task.status, 'Succeeded', JSON.stringify(task))
      assert.deepEqual(task.entries[1].result.to, ['anna@x.org'])
      const sent = await callbackOf(task.task_id, 'Delivered')
      assert.ok(JSON.stringify(sent.body).includes('"anna@x.org"'), JSON.stringify(sent))
      const { status, body } = await admin.delete(`/api/profile/${anna}/${query}`)
      if (query) assert.deepEqual([status, body.shared], [202, [task.task_id]])
      else assert.equal(status, 204)

      const left = (await admin.get(`/api/task/${task.task_id}/`)).body
      const [, mailed, posted, put] = left.entries
      assert.deepEqual(mailed.result, { ...task.entries[1].result, to: [MASK] })
      const named = { [MASK]: 'queued', [`${MASK} (2)`]: 'seen', at: MASK, file: `/out/${MASK}.png` }
      assert.deepEqual(posted.result.response, { for: `guest ${MASK}, ${MASK}`, not: 'joanna@x.org', ...named })
      assert.equal(left.input.file_name, `${MASK}.png`)
      assert.deepEqual((await admin.get('/api/search/?q=04a2b3c4')).body.tasks.items, [])
      assert.equal((await admin.get(`/api/search/?q=${MASK}.p`)).body.tasks.items[0].task_id, task.task_id)
      const { body: told } = await callbackOf(task.task_id, 'Delivered')
      const text = typeof told === 'string' ? told : JSON.stringify(told)
      assert.doesNotMatch(text, person)
      assert.match(text, /"status":"Succeeded".*"joanna@x\.org"/)
      const { items } = (await admin.get(`/api/activity/?owner_id=${bob}`)).body
      assert.equal(items.length, 2)
      const ofMail = items.find((each: Answer['body']) => each.payload.souvenir_data.adapter_response.to)
      assert.deepEqual(ofMail.payload.souvenir_data.adapter_response.to, [MASK])
      // Only where the file lies is still said.
      const all = (await stored(task.task_id)).replace(/"out\/anna@x\.org"|\{"profile.email":"anna@x.org"\}/g, '""')
      assert.doesNotMatch(all, person)
      assert.match(all, /carla@x\.org/)

      assert.deepEqual(put.result, task.entries[3].result)
      assert.equal((await readdir(join(root, 'out'), { recursive: true })).length, 2)
      assert.equal((await admin.post(`/api/task/${task.task_id}/retract/`)).status, 200)
      const files = await readdir(join(root, 'out'), { recursive: true, withFileTypes: true })
      assert.deepEqual(
        files.filter(each => each.isFile()),
        [],
        'it is still found there',
      )
    })

  it('is quoted by no error and no failure', async () => {
    const [anna] = await people()
    mail.refusals.push({ code: 550, text: 'No mailbox for <anna@x.org> here, ask joanna@x.org' })
    const task = await run('mail', both)
    assert.equal(task.status, 'Failed')
    assert.match(task.entries[0].error.message, /<anna@x\.org>/)
    assert.equal((await admin.delete(`/api/profile/${anna}/`)).status, 204)
    const left = (await admin.get(`/api/task/${task.task_id}/`)).body
    assert.match(left.entries[0].error.message, /<\*{8}> here, ask joanna@x\.org/)
    assert.doesNotMatch(await stored(task.task_id), person)
  })

  it('is named no longer by what others keep of a task whose record is gone', async () => {
    const [anna, bob] = await people()
    const [task, other] = [await run('mail', both), await run('mail', { email: 'bob@x.org' })]
    const kept = async (taskId: string): Promise<Answer['body']> =>
      (await admin.get(`/api/activity/?owner_id=${bob}&task_id=${taskId}`)).body.items[0].payload.souvenir_data
    assert.deepEqual((await kept(task.task_id)).adapter_response.to, ['anna@x.org'])
    const { db } = database
    const ended_at = new Date(Date.now() - 100 * 86_400_000)
    await db.updateTable('tasks').set({ ended_at, files_deleted_at: ended_at }).execute()
    while ((await deleteOldRecords(db, 90, 100)) > 0);
    assert.equal((await admin.get(`/api/task/${task.task_id}/`)).status, 404)
    assert.equal((await admin.delete(`/api/profile/${anna}/`)).status, 204)
    assert.deepEqual((await kept(task.task_id)).adapter_response.to, [MASK])
    assert.deepEqual((await kept(other.task_id)).adapter_response.to, ['bob@x.org'])
  })

  it('is named no longer in a task that turned out to be another guest’s', async () => {
    const [anna, bob] = await people()
    const task = await run('corrected', { email: ['anna@x.org'] })
    assert.equal(task.status, 'Failed', JSON.stringify(task))
    refusal = 200
    const path = `/api/task/${task.task_id}/`
    const retried = await keepsake.send(`${path}retry/`, { extras: '{"email": ["bob@x.org"]}' })
    assert.equal(retried.status, 202, JSON.stringify(retried.body))
    const { status, entries } = await keepsake.ended(path)
    assert.deepEqual([status, entries[0].result.to], ['Succeeded', ['anna@x.org']])
    const ofBob = async () =>
      (await admin.get(`/api/activity/?owner_id=${bob}&task_id=${task.task_id}`)).body.items[0].payload.souvenir_data
    assert.deepEqual((await ofBob()).adapter_response.to, ['anna@x.org'])
    assert.equal((await admin.delete(`/api/profile/${anna}/`)).status, 204)
    assert.deepEqual((await ofBob()).adapter_response.to, [MASK])
    assert.doesNotMatch(await stored(task.task_id), person)
  })

  it('holds nobody else up while rows are looked through', async () => {
    await people()
    const { task_id } = await run('all', both)
    let turns = 0
    const count = (): void => {
      turns++
      ticking = setImmediate(count)
    }
    let ticking = setImmediate(count)
    const seen = new Set<number>()
    await database.db.transaction().execute(trx =>
      unnameTasks(trx, null, [task_id], {
        unnamed: value => {
          seen.add(turns)
          return value
        },
        canTakeBack: () => false,
      }),
    )
    clearImmediate(ticking)
    // Four entries, two of them with activities of two guests and one that waits for the third; the callback.
    assert.ok(seen.size >= 4 + 2 * 3, String(seen.size))
  })

  it('is told of by a callback that waits, as it was made', async () => {
    const [anna] = await people()
    const task = await run('waiting', both)
    const before = await callbackOf(task.task_id, 'Waiting')
    assert.equal((await admin.delete(`/api/profile/${anna}/`)).status, 204)
    assert.deepEqual((await callbackOf(task.task_id, 'Waiting')).body, before.body)
    const left = (await admin.get(`/api/task/${task.task_id}/`)).body
    assert.deepEqual(left.entries[1].result.to, [MASK])
  })
})

describe('a person whose profiles were merged', () => {
  const merged = async (): Promise<[string, string]> => {
    const [kept, gone] = [await profile({ rfid: 'kept-1' }), await profile({ rfid: 'gone-1' })]
    const { status, body } = await admin.post(`/api/profile/${kept}/merge/`, { profile_id: gone })
    assert.equal(status, 200, JSON.stringify(body))
    return [kept, gone]
  }

  it('is one person where a task names both ids', async () => {
    const [kept, gone] = await merged()
    const task = await run('flip', { profile_id: [kept, gone] })
    const { body } = await admin.delete(`/api/profile/${kept}/?media=retract`)
    assert.deepEqual([body.status, body.shared, body.counts.tasks], ['Done', [], 1], JSON.stringify(body))
    assert.equal((await admin.get(`/api/task/${task.task_id}/`)).status, 404)
  })

  it('is found in a task that runs by the id that went', async () => {
    const [kept, gone] = await merged()
    const taskId = await begin('slow', { profile_id: [gone] })
    await until('it is on its way', () => receiver.received.some(({ url }) => url === '/slow'))
    const { body } = await admin.delete(`/api/profile/${kept}/?media=retract`)
    assert.deepEqual([body.status, body.counts.tasks], ['Done', 1], JSON.stringify(body))
    assert.equal((await admin.get(`/api/task/${taskId}/`)).status, 404)
  })

  it('leaves neither id in a task of several', async () => {
    const [kept, gone] = await merged()
    const other = await profile({ rfid: 'other-1' })
    const task = await run('flip', { profile_id: [gone, other] })
    assert.equal((await admin.delete(`/api/profile/${kept}/`)).status, 204)
    const left = (await admin.get(`/api/task/${task.task_id}/`)).body
    assert.deepEqual(left.extras, { profile_id: [other] })
  })
})
