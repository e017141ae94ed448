// Pictures for the screens of guests: made once, stored, found by every process, and gone with their source.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import sharp from 'sharp'
import { openDatabase } from '#db/database.ts'
import { Problem } from '#kit/errors.ts'
import { newLog } from '#kit/log.ts'
import { newBlobs } from '#storage/blobs.ts'
import { newRenditions } from '#tasks/try/rendition.ts'
import { newThumbnails } from '#tasks/try/thumbnail.ts'
import { runApi } from '../../src/app.ts'
import { sweep } from '../../src/worker/sweep.ts'
import { cleanUp } from '../support/clean-up.ts'
import type { Client } from '../support/client.ts'
import { type Keepsake, single, startKeepsake } from '../support/keepsake.ts'
import { photoOf } from '../support/pictures.ts'

const PUBLIC = 'http://guests.example'
const log = newLog('silent', 'test')

let keepsake: Keepsake
let second: Awaited<ReturnType<typeof runApi>>
let admin: Client
let database: ReturnType<typeof openDatabase>
let photo: Blob

before(async () => {
  keepsake = await startKeepsake({ settings: { publicUrl: PUBLIC } })
  second = await runApi({ ...keepsake.settings, port: 0 })
  database = openDatabase(keepsake.databaseUrl, log, { max: 2 })
  admin = keepsake.client
  photo = await photoOf(1500, 1000)
  await keepsake.configure(single('turn', 'photo_flip', { method: 'ROTATE_180' }, { experience_id: 'expo' }))
  const { status } = await admin.patch('/api/experience/expo/', { guest_page: { enabled: true } })
  assert.equal(status, 200)
})
after(() =>
  cleanUp(
    () => database?.close(),
    () => second?.drain(),
    () => keepsake?.stop(),
  ),
)

const get = (url: string, { api = keepsake.url, headers = {} }: { api?: string; headers?: HeadersInit } = {}) =>
  fetch(url.replace(PUBLIC, api), { redirect: 'manual', headers })
const bytesOf = async (answer: Response): Promise<Buffer> => Buffer.from(await answer.arrayBuffer())

async function made(): Promise<{ task_id: string; guest_url: string }> {
  const { status, body } = await keepsake.send('/api/task/', { data: photo, configuration_name: 'turn' })
  assert.equal(status, 202, JSON.stringify(body))
  await keepsake.ended(`/api/task/${body.task_id}/`)
  return body
}

const renditions = (task_id: string) =>
  database.db.selectFrom('renditions').selectAll().where('task_id', '=', task_id).orderBy('side').execute()

/** Blobs of the store that no row has, after a sweep that takes every upload without an owner for dead. */
async function leftOver(): Promise<string[]> {
  const { settings } = keepsake
  const blobs = await newBlobs(settings.blobs, settings.data, { accessKey: null, secretKey: null, sessionToken: null })
  await sweep({ db: database.db, blobs, settings, log }, { before: new Date(Date.now() + 1000) })
  const owned = new Set<string>()
  for (const { blob } of await database.db.selectFrom('renditions').select('blob').execute()) owned.add(blob)
  for (const { chain } of await database.db
    .selectFrom('chains')
    .innerJoin('tasks', 'tasks.task_id', 'chains.task_id')
    .where('tasks.files_deleted_at', 'is', null)
    .select('chains.input as chain')
    .execute())
    if ('file' in chain) owned.add(chain.file.blob)
  for (const { output } of await database.db.selectFrom('entries').select('output').execute())
    if (output?.blob) owned.add(output.blob)
  const left: string[] = []
  for await (const { blob } of blobs.list()) if (!owned.has(blob)) left.push(blob)
  return left
}

describe('a picture for screens', () => {
  test('is made once for all who ask at once, here and in another process, and stored', async () => {
    const { task_id, guest_url } = await made()
    const asked = Array.from({ length: 12 }, (_, at) =>
      get(`${guest_url}/file/0?size=640`, { api: at % 2 ? (second.url as string) : keepsake.url }).then(bytesOf),
    )
    const pictures = await Promise.all(asked)
    const { width, height } = await sharp(pictures[0] as Buffer).metadata()
    assert.deepEqual([width, height], [640, 427])
    const [row, ...more] = await renditions(task_id)
    assert.deepEqual([row?.side, more], [640, []])
    assert.equal(new Set(pictures.map(each => each.toString('base64'))).size, 1)
    assert.deepEqual(await leftOver(), [], 'of two that were made one stays')
  })

  test('is found by a process that never made it', async () => {
    const { task_id, guest_url } = await made()
    await get(`${guest_url}/file/0?size=1280`).then(bytesOf)
    const [row] = await renditions(task_id)
    const { settings } = keepsake
    const blobs = await newBlobs(settings.blobs, settings.data, {
      accessKey: null,
      secretKey: null,
      sessionToken: null,
    })
    // Told apart from one that is made anew.
    const marked = await blobs.put(
      (async function* () {
        yield Buffer.from('the stored one')
      })(),
    )
    await blobs.delete(row?.blob ?? '')
    await database.db.updateTable('renditions').set({ blob: marked.blob }).where('task_id', '=', task_id).execute()
    const found = await get(`${guest_url}/file/0?size=1280`, { api: second.url as string })
    assert.deepEqual([found.status, await found.text()], [200, 'the stored one'])
  })

  test('is kept by browsers for good where its address names it, and asked for again by its tag', async () => {
    const { guest_url } = await made()
    const page = await (await get(guest_url, { headers: { accept: 'text/html' } })).text()
    const address = /src="([^"]+size=1280[^"]*)"/.exec(page)?.[1]?.replaceAll('&#38;', '&') ?? ''
    const named = await get(address)
    assert.equal(named.headers.get('cache-control'), 'private, max-age=31536000, immutable')
    await named.body?.cancel()
    const etag = named.headers.get('etag') ?? ''
    const again = await get(address, { headers: { 'if-none-match': etag } })
    assert.deepEqual([again.status, await again.text(), again.headers.get('etag')], [304, '', etag])
    for (const path of ['/file/0?size=1280', '/file/0?size=1280&v=other']) {
      const answer = await get(guest_url + path)
      assert.equal(answer.headers.get('cache-control'), 'private, no-cache', path)
      await answer.body?.cancel()
    }
  })

  test('is refused in other sizes, and for what has no picture in it, which is not kept', async () => {
    const { guest_url } = await made()
    for (const size of ['639', '0', '-1', '1e3', '', '640,1280', '99999999999999999999'])
      assert.equal((await get(`${guest_url}/file/0?size=${size}`)).status, 400, size)
    const missing = await get(`${guest_url}/file/7?size=640&v=x`)
    assert.deepEqual([missing.status, missing.headers.get('cache-control')], [404, 'private, no-cache'])
    for (const number of ['2147483648', '999999999', '-1', '0x0', '1.5', 'abc', '%F0%9F%98%80', '9'.repeat(400)])
      assert.equal((await get(`${guest_url}/file/${number}`)).status, 404, number)
  })

  test('that can not be made just now comes later, and is no file without a picture', async () => {
    const { guest_url } = await made()
    const slow = await runApi({ ...keepsake.settings, port: 0 }, undefined, { pictureMs: 0 })
    try {
      const busy = await get(`${guest_url}/file/0?size=2048`, { api: slow.url as string })
      const { code } = JSON.parse(await busy.text())
      assert.deepEqual([busy.status, code, busy.headers.get('retry-after')], [503, 'unavailable', '10'])
      assert.equal(busy.headers.get('cache-control'), 'private, no-cache')
    } finally {
      await slow.drain()
    }
    assert.equal((await get(`${guest_url}/file/0?size=2048`)).status, 200)
  })

  test('that no file can give is tried once; trouble of our own is no verdict', async () => {
    const { task_id } = await made()
    const { input } = await database.db
      .selectFrom('chains')
      .where('task_id', '=', task_id)
      .select('input')
      .executeTakeFirstOrThrow()
    assert.ok('file' in input)
    const { file } = input
    const { settings } = keepsake
    const blobs = await newBlobs(settings.blobs, settings.data, {
      accessKey: null,
      secretKey: null,
      sessionToken: null,
    })
    const tried: string[] = []
    let code: 'corrupt_input' | 'unavailable' | 'media_failed' = 'unavailable'
    const run = async () => {
      tried.push(code)
      throw new Problem(code, 'No')
    }
    const media = { run, probe: run }
    const services = { db: database.db, blobs, media, settings, log, waits: { pictureMs: 60_000 } }
    const place = async () => ({ [Symbol.dispose]() {} })
    const { signal } = new AbortController()
    const [renditions, thumbnails] = [newRenditions(services), newThumbnails(services)]
    for (code of ['unavailable', 'media_failed', 'corrupt_input', 'corrupt_input', 'corrupt_input'] as const) {
      await assert.rejects(renditions.of({ task_id, file }, 640, place, signal), { code })
      await assert.rejects(thumbnails.of(file, place, signal), { code })
    }
    const twice = (each: string) => [each, each]
    assert.deepEqual(tried, ['unavailable', 'media_failed', 'corrupt_input'].flatMap(twice))
  })

  for (const [what, end] of [
    ['is deleted', (id: string) => admin.delete(`/api/task/${id}/`)],
    ['is taken back', (id: string) => admin.post(`/api/task/${id}/retract/`)],
    [
      'is past its retention',
      async (id: string) => {
        const ended_at = new Date(Date.now() - 400 * 86_400_000)
        await database.db.updateTable('tasks').set({ ended_at }).where('task_id', '=', id).execute()
        return { status: 200 }
      },
    ],
  ] as const)
    test(`is gone when its task ${what}`, async () => {
      const { task_id, guest_url } = await made()
      for (const size of [640, 1280]) await get(`${guest_url}/file/0?size=${size}`).then(bytesOf)
      assert.equal((await renditions(task_id)).length, 2)
      const { status } = await end(task_id)
      assert.ok(status < 300, String(status))
      assert.deepEqual(await leftOver(), [])
      assert.deepEqual(await renditions(task_id), [])
      assert.equal((await get(`${guest_url}/file/0?size=640`)).status, 404, 'nor does the memory give it out')
    })
})
