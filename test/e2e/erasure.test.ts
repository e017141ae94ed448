// Erasing a person or a keepsake: what goes, what stays, and the signed receipt of it.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { isGenuine, type PublicKey, type SignedReceipt } from '#kit/secret/signed-receipt.ts'
import { cleanUp } from '../support/clean-up.ts'
import type { Answer, Client } from '../support/client.ts'
import { startReceiver } from '../support/https-receiver.ts'
import { chain, type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { until } from '../support/until.ts'

const PUBLIC = 'http://guests.example'
let keepsake: Keepsake
let admin: Client
let root: string
let picture: Blob
let receiver: Awaited<ReturnType<typeof startReceiver>>
let pool: pg.Pool
/** How long the receiver takes its time for a file. */
let held: Promise<void> = Promise.resolve()
/** What the store answers. */
let storeStatus = 200
const stored = new Set<string>()

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'keepsake-local-'))
  receiver = await startReceiver({
    async answer({ method, url: asked }, response) {
      const url = asked.split('?', 1)[0] as string
      if (url.startsWith('/bucket/')) {
        if (method === 'PUT') stored.add(url)
        if (method === 'DELETE' && storeStatus === 200) stored.delete(url)
        if (method === 'PUT') await held
        return void response.writeHead(method === 'DELETE' ? storeStatus : 200, { etag: '"x"' }).end()
      }
      response.writeHead(200).end()
    },
  })
  keepsake = await startKeepsake({ settings: { localRoot: root, publicUrl: PUBLIC } })
  admin = keepsake.client
  pool = new pg.Pool({ connectionString: keepsake.databaseUrl, max: 1 })
  picture = new Blob([new Uint8Array(await png(pattern(9, 5, 3)))])
  const activity_config = { experience_id: 'park', activity_type: 'photo', payload: { object_id: 'ride' } }
  await keepsake.configure(single('flip', 'photo_flip', { method: 'ROTATE_180' }))
  await keepsake.configure(single('folder', 'local_file', { folder: 'out' }, { activity_config }))
  await keepsake.configure(single('post', 'http_post', { url: `${receiver.url}/post` }))
  await keepsake.configure(
    single(
      'store',
      's3_upload',
      { bucket_name: 'bucket', bucket_url: receiver.url },
      {
        adapter_config: {
          auth: { access_key: 'a', secret_key: 'b' },
          defaults: { bucket_name: 'bucket', bucket_url: receiver.url, delivery_attempts: 1 },
        },
      },
    ),
  )
  await keepsake.configure(
    chain(
      'all',
      [
        ['flip', null],
        ['folder', 0],
        ['post', 0],
      ],
      { webhook_url: `${receiver.url}/hook` },
    ),
  )
  await keepsake.configure(
    chain('kept', [
      ['flip', null],
      ['folder', 0],
    ]),
  )
  await admin.patch('/api/experience/park/', { guest_page: { enabled: true, erase: true, language: 'ar' } })
})
after(() =>
  cleanUp(
    () => pool.end(),
    () => keepsake.stop(),
    () => receiver.stop(),
    () => rm(root, { recursive: true, force: true }),
  ),
)

const begin = async (configuration_name: string, extras: object = {}, more: Record<string, string> = {}) => {
  const { body, status } = await keepsake.send('/api/task/', {
    configuration_name,
    data: picture,
    extras: JSON.stringify(extras),
    ...more,
  })
  assert.equal(status, 202, JSON.stringify(body))
  return body
}
const run = async (...given: Parameters<typeof begin>) => {
  const { task_id, guest_url } = await begin(...given)
  const task = await keepsake.ended(`/api/task/${task_id}/`)
  assert.equal(task.status, 'Succeeded', JSON.stringify(task))
  return { ...task, guest_url }
}
const profile = async (given: object): Promise<string> => {
  const { status, body } = await admin.post('/api/profile/', given)
  assert.equal(status, 201, JSON.stringify(body))
  return body.profile_id
}
const erase = (id: string, query = 'media=retract', client = admin) => client.delete(`/api/profile/${id}/?${query}`)
const delivered = (): Promise<string[]> => readdir(join(root, 'out')).catch(() => [])
const key = async (): Promise<PublicKey> => (await admin.as(null).get('/api/erasure/key/')).body
const count = async (sql: string, values: unknown[] = []): Promise<number> =>
  Number((await pool.query(`select count(*)::int as n from ${sql}`, values)).rows[0].n)

async function receiptOf(signed: SignedReceipt): Promise<Answer['body']> {
  assert.ok(isGenuine(signed, await key()), 'the signature fits')
  assert.ok(!isGenuine({ ...signed, receipt: `${signed.receipt} ` }, await key()), 'and nothing else has it')
  return JSON.parse(signed.receipt)
}
const receipt = async (id: string) => {
  const { status, body } = await admin.get(`/api/erasure/${id}/`)
  assert.equal(status, 200, JSON.stringify(body))
  return receiptOf(body)
}

describe('a person', () => {
  it('goes with all records, files and deliveries, and the receipt tells of it', async () => {
    const id = await profile({ rfid: 'gone-1', attributes: { name: 'Gone' } })
    const first = await run('all', { rfid: 'gone-1' })
    const second = await run('kept', { rfid: 'gone-1' })
    const callback = `callbacks where task_id = '${first.task_id}' and status = 'Delivered'`
    await until('the callback was sent', async () => (await count(callback)) === 1)
    const { status, body } = await erase(id)
    assert.equal(status, 202, JSON.stringify(body))
    assert.equal(body.status, 'Done')
    const places = (lines: Answer['body'][]) =>
      lines.map(({ what, task_id, configuration }) => [what, task_id, configuration ?? null])
    assert.deepEqual(places(body.removed), [
      ['delivery', first.task_id, 'folder'],
      ['delivery', second.task_id, 'folder'],
    ])
    assert.deepEqual(places(body.kept), [
      ['callback', first.task_id, null],
      ['delivery', first.task_id, 'post'],
    ])
    assert.deepEqual(
      [body.counts.tasks, body.counts.profiles, body.counts.activities, body.counts.callbacks],
      [2, 1, 2, 1],
    )
    assert.deepEqual(await delivered(), [])
    for (const path of [`/api/profile/${id}/`, `/api/task/${first.task_id}/`, `/api/task/${second.task_id}/output/0/`])
      assert.equal((await admin.get(path)).status, 404, path)
    assert.equal((await erase(id)).status, 404)
    const told = await receipt(body.erasure_id)
    assert.deepEqual([told.erasure_id, told.status, told.asked_by], [body.erasure_id, 'Done', 'operator'])
    assert.deepEqual(told.removed, body.removed)
    assert.deepEqual(told.kept, body.kept)
    assert.ok(new Date(told.backups.made_before) <= new Date())
    assert.doesNotMatch(JSON.stringify(told), /gone-1|Gone/)
    assert.ok(!JSON.stringify(told).includes(id))
    assert.equal(await count('activities where task_id = any($1)', [[first.task_id, second.task_id]]), 0)
    assert.equal(await count('erasures where profile_id is not null or actor is not null'), 0)
  })

  it('takes nobody else with them, unless that is asked for', async () => {
    const [anna, bob] = [await profile({ email: 'anna@x.org' }), await profile({ email: 'bob@x.org' })]
    const both = await run('kept', { email: ['anna@x.org', 'bob@x.org'] })
    const own = await run('kept', { email: 'Anna@X.org' })
    const stranger = await run('kept', { email: ['anna@x.org', 'carla@x.org'] })
    const { body } = await erase(anna)
    assert.deepEqual(body.shared.sort(), [both.task_id, stranger.task_id].sort())
    assert.deepEqual(
      body.kept.map(({ code, task_id }: Answer['body']) => [code, task_id]).sort(),
      [
        ['shared', both.task_id],
        ['shared', stranger.task_id],
      ].sort(),
    )
    assert.equal((await admin.get(`/api/task/${own.task_id}/`)).status, 404)
    const left = (await admin.get(`/api/task/${both.task_id}/`)).body
    assert.deepEqual(left.extras, { email: ['bob@x.org'] })
    assert.equal((await delivered()).length, 2)
    const { body: all } = await erase(bob, 'media=retract&shared=erase')
    assert.deepEqual([all.shared, all.counts.tasks], [[], 1])
    assert.deepEqual(await delivered(), [`${stranger.task_id}-1.png`])
    await admin.post(`/api/task/${stranger.task_id}/retract/`)
  })

  it('is reached again when its target is back, and the receipt grows', async () => {
    const id = await profile({ rfid: 'down' })
    const task = await run('store', { rfid: 'down' })
    assert.equal(stored.size, 1)
    storeStatus = 503
    const { body } = await erase(id)
    assert.equal(body.status, 'Pending', JSON.stringify(body))
    assert.deepEqual([body.removed, body.pending.length, body.pending[0].task_id], [[], 1, task.task_id])
    assert.equal((await admin.get(`/api/profile/${id}/`)).status, 404, 'the person is gone all the same')
    assert.equal((await admin.get(`/api/task/${task.task_id}/`)).status, 404)
    const before = (await admin.get(`/api/erasure/${body.erasure_id}/`)).body
    assert.equal((await receiptOf(before)).pending.length, 1)
    storeStatus = 200
    const told = await until('it is gone there', async () => {
      const now = await receipt(body.erasure_id)
      return now.status === 'Done' && now
    })
    assert.deepEqual([told.pending, told.removed[0].task_id, stored.size], [[], task.task_id, 0])
    assert.equal(await count('erasure_lines where sealed is not null'), 0)
  })

  it('is given up after its time, with a word about it', async () => {
    const id = await profile({ rfid: 'never' })
    await run('store', { rfid: 'never' })
    storeStatus = 503
    const { body } = await erase(id)
    await pool.query(`update erasures set created_at = now() - interval '8 days' where erasure_id = $1`, [
      body.erasure_id,
    ])
    const told = await until('it is given up', async () => {
      const now = await receipt(body.erasure_id)
      return now.status === 'Done' && now
    })
    storeStatus = 200
    assert.deepEqual(
      told.kept.map(({ code }: Answer['body']) => code),
      ['given_up'],
    )
    assert.equal(await count('erasure_lines where sealed is not null'), 0)
  })

  it('has what still runs stopped first, and nothing of it comes back', async () => {
    stored.clear()
    const id = await profile({ rfid: 'running' })
    const release = Promise.withResolvers<void>()
    held = release.promise
    const { task_id } = await begin('store', { rfid: 'running' })
    await until('it is on its way', () => stored.size === 1)
    const { body } = await erase(id)
    release.resolve()
    held = Promise.resolve()
    assert.equal(body.status, 'Done', JSON.stringify(body))
    assert.equal(body.removed[0].task_id, task_id)
    assert.equal((await admin.get(`/api/task/${task_id}/`)).status, 404)
    assert.deepEqual([...stored], [])
    assert.equal(await count('tasks where erasing is not null'), 0)
  })

  it('is asked for in the right words', async () => {
    const id = await profile({ rfid: 'words', experience_id: 'park' })
    for (const query of ['media=all', 'shared=erase', 'media=retract&shared=1'])
      assert.equal((await erase(id, query)).status, 400, query)
    const stale = await admin.send('DELETE', `/api/profile/${id}/?media=retract`, { headers: { 'if-match': '"old"' } })
    assert.equal(stale.status, 412)
    assert.equal((await admin.get(`/api/profile/${id}/`)).status, 200)
    const token = async (scopes: string[], experiences: string[] | null) =>
      admin.as((await admin.post('/api/token/', { name: 't', scopes, experiences })).body.token)
    assert.equal((await erase(id, 'media=retract', await token(['tasks'], null))).status, 403)
    assert.equal((await erase(id, 'media=retract', await token(['write'], ['other']))).status, 404)
    const own = await token(['write'], ['park'])
    const { status, body } = await erase(id, 'media=retract', own)
    assert.equal(status, 202)
    const path = `/api/erasure/${body.erasure_id}/`
    assert.equal((await own.get(path)).status, 200)
    assert.equal((await (await token(['read'], ['other'])).get(path)).status, 404)
    assert.equal((await admin.as(null).get(path)).status, 401)
    assert.equal((await admin.get('/api/erasure/no-id/')).status, 404)
    assert.equal((await admin.get(`/api/erasure/${id}/`)).status, 404)
  })
})

describe('a keepsake', () => {
  const guest = (url: string, init: RequestInit = {}) =>
    fetch(url.replace(PUBLIC, keepsake.url), { redirect: 'manual', ...init })
  const html = { accept: 'text/html' }

  it('is taken back by the guest, after a question', async () => {
    const task = await run('kept', {})
    const url: string = task.guest_url
    const page = await (await guest(url, { headers: html })).text()
    assert.ok(page.includes(`href="${url}/erase"`))
    const asked = await guest(`${url}/erase`, { headers: html })
    const question = await asked.text()
    assert.match(question, /dir="rtl"[\s\S]*<form [^>]*method="post"/)
    assert.match(asked.headers.get('content-security-policy') ?? '', /form-action http:\/\/[^ ]+\/k\/(;|$)/)
    const bare = await guest(`${url}/erase`, { method: 'POST', headers: html })
    assert.equal(bare.status, 409)
    assert.match(await bare.text(), /<form /)
    const refused = await guest(`${url}/erase`, {
      method: 'POST',
      body: '{"confirm":false}',
      headers: { 'content-type': 'application/json' },
    })
    assert.equal(refused.status, 409)
    assert.equal((await guest(url)).status, 200)
    const form = new URLSearchParams({ confirm: 'yes' })
    const done = await guest(`${url}/erase`, { method: 'POST', body: form, headers: html })
    assert.equal(done.status, 202)
    const receiptUrl = /href="([^"]+\/k\/-\/receipt\/[^"]+)"/.exec(await done.text())?.[1] as string
    const signed = await guest(receiptUrl)
    assert.equal(signed.status, 200)
    const told = await receiptOf((await signed.json()) as SignedReceipt)
    assert.deepEqual([told.asked_by, told.counts.pages, told.counts.tasks], ['guest', 1, 1])
    assert.deepEqual(await delivered(), [])
    for (const path of ['', '/file/0', '/qr.svg', '/qr.png', '/events', '/logo', '/erase'])
      assert.equal((await guest(url + path)).status, 410, path)
    assert.equal((await guest(`${url}/erase`, { method: 'POST' })).status, 410)
    assert.equal((await guest(url, { headers: html })).status, 410)
    const code = url.split('/').at(-1) as string
    const again = await keepsake.send('/api/task/', { configuration_name: 'kept', data: picture, keepsake: code })
    assert.equal(again.status, 400, JSON.stringify(again.body))
    assert.equal((await guest(`${keepsake.url}/k/-/receipt/${'a'.repeat(22)}`)).status, 404)
  })

  it('answers programs with the address of the receipt', async () => {
    const { body: reserved } = await admin.post('/api/keepsake/', { experience_id: 'park' })
    const task = await run('kept', {}, { keepsake: reserved.code })
    const answer = await guest(`${reserved.url}/erase`, { method: 'POST' })
    const body = (await answer.json()) as Answer['body']
    assert.equal(answer.status, 202)
    assert.equal(body.removed[0].task_id, task.task_id)
    assert.equal((await guest(body.receipt_url)).status, 200)
    assert.equal((await admin.get(`/api/erasure/${body.erasure_id}/`)).status, 200)
    assert.equal((await admin.post(`/api/keepsake/${reserved.keepsake_id}/reissue/`)).status, 409)
    const named = { lookups: { rfid: 'again' } }
    assert.equal((await admin.patch(`/api/keepsake/${reserved.keepsake_id}/`, named)).status, 409)
    assert.equal((await admin.get(`/api/keepsake/${reserved.keepsake_id}/`)).body.url, null)
    const { items } = (await admin.get(`/api/audit/?object_id=${reserved.keepsake_id}`)).body
    assert.deepEqual([items[0].action, items[0].actor.kind, items[0].actor.address], ['delete', 'guest', null])
  })

  it('goes with the person it belongs to', async () => {
    const id = await profile({ rfid: 'paged' })
    const { body: reserved } = await admin.post('/api/keepsake/', { experience_id: 'park' })
    await run('kept', { rfid: 'paged' }, { keepsake: reserved.code })
    await run('kept', {}, { keepsake: reserved.code })
    const { body } = await erase(id)
    assert.deepEqual([body.counts.pages, body.counts.tasks], [1, 2])
    assert.equal((await guest(reserved.url)).status, 410)
  })

  it('stays where guests may not take it back', async () => {
    await admin.patch('/api/experience/park/', { guest_page: { enabled: true, erase: false } })
    const { body: reserved } = await admin.post('/api/keepsake/', { experience_id: 'park' })
    assert.equal((await guest(`${reserved.url}/erase`)).status, 403)
    assert.equal((await guest(`${reserved.url}/erase`, { method: 'POST' })).status, 403)
    assert.ok(!(await (await guest(reserved.url, { headers: html })).text()).includes('/erase"'))
    assert.equal((await guest(`${keepsake.url}/k/nothing/erase`, { method: 'POST' })).status, 404)
    await admin.patch('/api/experience/park/', { guest_page: { enabled: true, erase: true } })
  })
})
