// The TypeScript client's uploads: they go on over cuts, after a restart of the client, and without tus inside the request.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, beforeEach, test } from 'node:test'
import { Keepsake, ProblemError, UploadInterrupted } from '../../client/src/index.ts'
import { startTus, type TusServer } from './tus-server.ts'

const bytes = randomBytes(300_000)
const photo = new File([bytes], 'höhe "1".jpg', { type: 'image/jpeg' })

let server: TusServer
let keepsake: Keepsake
before(async () => {
  server = await startTus()
})
after(() => server.stop())
beforeEach(() => {
  server.uploads.clear()
  server.asked.length = 0
  server.faults.length = 0
  server.others.length = 0
  keepsake = new Keepsake({ url: server.url, token: 'ks_test' })
})

const kept = () => [...server.uploads.values()].map(({ data }) => data.equals(bytes))
const chunked = { chunkBytes: 100_000 }

test('a file goes up in chunks, with its name, and progress is told', async () => {
  const told: number[][] = []
  const ids: string[] = []
  const upload = await keepsake.uploads.create(photo, {
    ...chunked,
    onProgress: (done, total) => told.push([done, total]),
    onUploadId: id => ids.push(id),
  })
  assert.deepEqual(upload, { upload_id: 'upload-1', bytes: 300_000 })
  assert.deepEqual(ids, ['upload-1'])
  assert.deepEqual(
    told,
    [0, 100_000, 200_000, 300_000].map(done => [done, 300_000]),
  )
  assert.deepEqual(kept(), [true])
  const name = Buffer.from('höhe "1".jpg').toString('base64')
  const type = Buffer.from('image/jpeg').toString('base64')
  assert.equal(server.uploads.get('upload-1')?.metadata, `filename ${name},filetype ${type}`)
})

test('an empty file is an upload without chunks', async () => {
  assert.deepEqual(await keepsake.uploads.create(new Blob([])), { upload_id: 'upload-1', bytes: 0 })
  assert.deepEqual(server.asked, ['POST /api/upload/'])
})

test('cuts, lost answers, locks and a full service are gone over, and nothing is sent twice', async () => {
  server.faults.push({ cutAfter: 40_000 }, 'well', 'unanswered', { status: 423 }, { status: 503, retryAfter: 0 })
  await keepsake.uploads.create(photo, chunked)
  assert.deepEqual(kept(), [true])
  assert.equal(server.asked.filter(line => line.startsWith('POST')).length, 1)
  assert.equal(server.asked.filter(line => line.startsWith('HEAD')).length, 4)
})

test('another offset than the client knows is taken over', async () => {
  server.faults.push('well', { status: 409 })
  await keepsake.uploads.create(photo, chunked)
  assert.deepEqual(kept(), [true])
})

test('an upload that stops for good says its id, and a new client goes on with it', async () => {
  server.faults.push('well', ...Array.from({ length: 9 }, () => ({ cutAfter: 0 })))
  const failing = new Keepsake({ url: server.url, token: 'ks_test', retries: 1 })
  const error = await failing.uploads.create(photo, chunked).catch(error => error)
  assert.ok(error instanceof UploadInterrupted, String(error))
  assert.equal(error.uploadId, 'upload-1')
  server.faults.length = 0
  const told: number[] = []
  for (const resume of [error.uploadId, `${server.url}/api/upload/upload-1`, '/api/upload/upload-1/'])
    await keepsake.uploads.create(photo, { resume, onProgress: done => told.push(done) })
  assert.deepEqual(told, [100_000, 300_000, 300_000, 300_000])
  assert.deepEqual(kept(), [true])
})

test('a saved upload that the service has forgotten begins anew', async () => {
  await keepsake.uploads.create(photo, { resume: 'upload-77' })
  assert.deepEqual(kept(), [true])
})

test('a saved upload of another file is refused', async () => {
  await keepsake.uploads.create(photo)
  await assert.rejects(keepsake.uploads.create(new Blob(['x']), { resume: 'upload-1' }), { code: 'bad_options' })
})

test('a saved address leads the token nowhere else', async () => {
  await keepsake.uploads.create(photo, { resume: 'https://evil.example.com/api/upload/upload-5' })
  assert.deepEqual(kept(), [true])
  for (const resume of ['..', 'https://evil.example.com/%2e%2e', '', 'a b'])
    await assert.rejects(keepsake.uploads.create(photo, { resume }), { code: 'unexpected_answer' })
})

test('what the service refuses is not gone on with', async () => {
  server.faults.push({ status: 413 })
  const error = await keepsake.uploads.create(photo, chunked).catch(error => error)
  assert.ok(error instanceof ProblemError)
  assert.equal(error.status, 413)
})

test('a signal ends an upload between two chunks', async () => {
  const stop = new AbortController()
  const sent = keepsake.uploads.create(photo, {
    ...chunked,
    signal: stop.signal,
    onProgress: done => done > 0 && stop.abort(new Error('enough')),
  })
  await assert.rejects(sent, { message: 'enough' })
  assert.equal(server.uploads.get('upload-1')?.data.length, 100_000)
  await keepsake.uploads.delete('upload-1')
  assert.equal(server.uploads.size, 0)
})

test('a large file of a task goes ahead, a small one inside of the request', async () => {
  await keepsake.tasks.create({ configuration: 'c', file: photo }, { uploadFromBytes: 200_000 })
  await keepsake.tasks.create({ configuration: 'c', file: new Blob(['small']) })
  await keepsake.groups.create(
    {
      configurations: [
        { configuration: 'a', file: photo },
        { configuration: 'b', input: 'a' },
      ],
    },
    { uploadFromBytes: 1 },
  )
  const [large = '', small = '', group = ''] = server.others.map(({ body }) => body.toString('latin1'))
  assert.match(large, /name="data_upload"\r\n\r\nupload-1\r\n/)
  assert.doesNotMatch(large, /name="data"/)
  assert.match(small, /name="data"; filename="file"[\s\S]+small/)
  assert.match(group, /name="a_data_upload"\r\n\r\nupload-2\r\n/)
  assert.match(group, /name="b_input"\r\n\r\na\r\n/)
})

test('a service without uploads gets the file inside of the request, and is asked once', async t => {
  const plain = await startTus({ isServed: false })
  t.after(() => plain.stop())
  const client = new Keepsake({ url: plain.url, token: 'ks_test' })
  const told: number[] = []
  for (let times = 0; times < 2; times++)
    await client.tasks.create(
      { configuration: 'c', file: photo },
      { uploadFromBytes: 1, onProgress: done => told.push(done) },
    )
  assert.deepEqual(plain.asked, ['POST /api/upload/', 'POST /api/task/', 'POST /api/task/'])
  for (const { body } of plain.others) assert.ok(body.includes(bytes))
  assert.deepEqual(told, [0, 300_000, 0, 300_000])
  await assert.rejects(client.uploads.create(photo), { code: 'uploads_not_served' })
})
