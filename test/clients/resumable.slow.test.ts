// Uploads of both clients to a running service, over a connection that is cut at random bytes, loses answers and falls silent.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, describe, test } from 'node:test'
import { Keepsake, UploadInterrupted } from '../../client/src/node.ts'
import { cleanUp } from '../support/clean-up.ts'
import { type FlakyProxy, startProxy } from '../support/flaky-proxy.ts'
import { type Keepsake as Service, single, startKeepsake } from '../support/keepsake.ts'
import { root } from '../support/markdown.ts'
import { pattern, png } from '../support/pictures.ts'
import { random, seedOf } from '../support/seed.ts'
import { newTus, sha256, type Tus } from '../support/tus.ts'
import { event, until } from '../support/until.ts'

const python = ['python3.9', 'python3', '/usr/bin/python3'].find(
  name => spawnSync(name, ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0,
)
/** So small that chunks get through between the cuts: what comes no further is interrupted, rightly. */
const CHUNK = 64 * 1024
const CUTS = 7
/** Silence that is waited out; an answer of a busy machine comes sooner. */
const SILENCE_SECONDS = 3

let service: Service
let proxy: FlakyProxy
let tus: Tus
let folder: string
let path: string
let bytes: Buffer

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'keepsake-resumable-'))
  service = await startKeepsake()
  proxy = await startProxy({ port: Number(new URL(service.url).port) })
  tus = newTus(() => service.url, service.token)
  bytes = await png(pattern(1000, 900, 3))
  path = join(folder, 'Grüße "1".png')
  writeFileSync(path, bytes)
  await service.configure(single('small', 'photo_resize', { width: 20 }))
})
after(() =>
  cleanUp(
    () => proxy?.stop(),
    () => service?.stop(),
    () => rmSync(folder, { recursive: true, force: true }),
  ),
)
afterEach(() => Object.assign(proxy, { cutsAt: [], swallowsAt: [], holdAfter: null }))

/** Cuts anywhere in what an upload sends: in headers, at the edge of a chunk, in the middle of one. */
function cutAnywhere(next: () => number): void {
  const from = proxy.sent()
  proxy.cutsAt = Array.from({ length: CUTS }, () => from + Math.floor(next() * bytes.length)).sort((a, b) => a - b)
}

/** The upload is the file to the last byte, a task takes it, and no other task does. */
async function assertTaken(keepsake: Keepsake, upload: string): Promise<void> {
  assert.equal(await tus.offset(`/api/upload/${upload}/`), bytes.length)
  const task = await keepsake.tasks.create({ configuration: 'small', upload })
  assert.equal((await keepsake.tasks.wait(task)).status, 'Succeeded')
  const { input } = await keepsake.tasks.get(task)
  const expected = { file_name: 'Grüße "1".png', mime: 'image/png', bytes: bytes.length, sha256: sha256(bytes) }
  assert.deepEqual(input, expected)
  assert.equal(sha256(await bytesOf(keepsake.tasks.input(task).blob())), sha256(bytes))
  await assert.rejects(keepsake.tasks.create({ configuration: 'small', upload }), { code: 'bad_request', status: 400 })
}

const bytesOf = async (blob: Promise<Blob>): Promise<Buffer> => Buffer.from(await (await blob).arrayBuffer())

describe('the TypeScript client', () => {
  const newKeepsake = (more: object = {}): Keepsake =>
    new Keepsake({ url: `http://127.0.0.1:${proxy.port}`, token: service.token, ...more })

  test('an upload cut at random bytes is the file in the end, and a task takes it', async t => {
    cutAnywhere(random(seedOf(t)))
    const told: number[] = []
    const keepsake = newKeepsake()
    const upload = await keepsake.uploads.create(path, { chunkBytes: CHUNK, onProgress: done => told.push(done) })
    assert.deepEqual(proxy.cutsAt, [], 'every cut was made')
    assert.equal(upload.bytes, bytes.length)
    assert.deepEqual(
      told,
      told.toSorted((a, b) => a - b),
    )
    assert.equal(told.at(-1), bytes.length)
    await assertTaken(keepsake, upload.upload_id)
  })

  test('a task with a large file comes through the same, once', async t => {
    cutAnywhere(random(seedOf(t)))
    const options = { configuration: 'small', uploadFromBytes: 1, chunkBytes: CHUNK }
    const { task, file } = await newKeepsake().run(path, options)
    assert.deepEqual(proxy.cutsAt, [])
    assert.equal(file.type, 'image/png')
    assert.equal(sha256(await bytesOf(newKeepsake().tasks.input(task).blob())), sha256(bytes))
    const { status, body } = await service.client.get('/api/task/?configuration=small&limit=100')
    assert.equal(status, 200, JSON.stringify(body))
    const made = body.items.filter((each: { created_at: string }) => each.created_at >= task.created_at)
    assert.equal(made.length, 1, 'one task')
  })

  test('an answer that is lost is asked for, whichever it is', async () => {
    const from = proxy.sent()
    // The beginning, a chunk in between, and the last one.
    proxy.swallowsAt = [from, from + 9 * CHUNK, from + bytes.length]
    const keepsake = newKeepsake()
    const { upload_id } = await keepsake.uploads.create(path, { chunkBytes: CHUNK })
    assert.deepEqual(proxy.swallowsAt, [])
    await assertTaken(keepsake, upload_id)
  })

  test('a connection that falls silent is left for another', async () => {
    proxy.holdAfter = proxy.sent() + Math.floor(bytes.length / 2)
    const keepsake = newKeepsake({ timeoutMs: SILENCE_SECONDS * 1_000 })
    const sending = keepsake.uploads.create(path, { chunkBytes: CHUNK })
    await until('it stands still', () => proxy.sent() === proxy.holdAfter)
    const held = proxy.connections()
    // Silence is for this one connection alone.
    proxy.holdAfter = null
    const { upload_id } = await sending
    assert.ok(proxy.connections() > held)
    await assertTaken(newKeepsake(), upload_id)
  })

  test('what was interrupted goes on with its id in another client, by any form of its address', async () => {
    proxy.cutsAt = Array.from({ length: 4 }, () => proxy.sent() + 900_000)
    const error = await newKeepsake({ retries: 0 })
      .uploads.create(path, { chunkBytes: CHUNK })
      .catch(error => error)
    assert.ok(error instanceof UploadInterrupted, String(error))
    proxy.cutsAt = []
    const address = `${service.url}/api/upload/${error.uploadId}/`
    const stop = new AbortController()
    const second = newKeepsake().uploads.create(path, {
      resume: address,
      chunkBytes: CHUNK,
      signal: stop.signal,
      onProgress: done => done > 1_500_000 && stop.abort(new Error('enough')),
    })
    await assert.rejects(second, { message: 'enough' })
    const told: number[] = []
    const third = await newKeepsake().uploads.create(path, {
      resume: error.uploadId,
      onProgress: done => told.push(done),
    })
    assert.equal(third.upload_id, error.uploadId)
    assert.ok(told[0] !== undefined && told[0] > 1_500_000 && told[0] < bytes.length, String(told))
    await assertTaken(newKeepsake(), third.upload_id)
    const anew = await newKeepsake().uploads.create(path, { resume: address })
    assert.notEqual(anew.upload_id, error.uploadId, 'a used one begins anew')
    await newKeepsake().uploads.delete(anew.upload_id)
    assert.equal((await tus.send('HEAD', `/api/upload/${anew.upload_id}/`)).status, 404)
  })

  test('an upload that another request holds on to is interrupted, not lost', async () => {
    const begun = await tus.begin(bytes.length)
    const holder = tus.appendSlowly(begun, 0, bytes, 100_000)
    await until('it is held', async () => (await tus.append(begun, bytes.length, Buffer.alloc(0))).status === 423)
    const keepsake = newKeepsake({ retries: 0 })
    const error = await keepsake.uploads.create(path, { resume: begun }).catch(error => error)
    holder.end()
    await holder.closed
    assert.ok(error instanceof UploadInterrupted, String(error))
    const { upload_id } = await newKeepsake().uploads.create(path, { resume: error.uploadId })
    assert.equal(await tus.offset(`/api/upload/${upload_id}/`), bytes.length)
  })

  test('a file that the service does not take is refused before a byte of it is sent', async () => {
    const { body } = await service.client.post('/api/token/', {
      name: 'booth',
      scopes: ['tasks'],
      limits: { upload_bytes_per_day: 1_000_000 },
    })
    const before = proxy.sent()
    const limited = new Keepsake({ url: `http://127.0.0.1:${proxy.port}`, token: body.token })
    await assert.rejects(limited.uploads.create(path), { code: 'token_limit', status: 429 })
    assert.ok(proxy.sent() - before < 5_000)
  })
})

describe('the Python client', {
  skip: python === undefined ? 'there is no python3 of version 3.9 or newer here' : false,
}, () => {
  const script = `
import json, os, sys
from keepsake import Keepsake

options = json.loads(sys.argv[2])
keepsake = Keepsake(os.environ["KEEPSAKE_URL"], os.environ["KEEPSAKE_TOKEN"], **options.pop("client", {}))
told = []

def progress(done, total):
    told.append(done)
    print(json.dumps({"done": done}), flush=True)

def on_upload_id(upload_id):
    print(json.dumps({"upload_id": upload_id}), flush=True)

try:
    if "run" in options:
        result = keepsake.run(sys.argv[1], options["run"], upload_from_bytes=1, chunk_bytes=${CHUNK}, progress=progress)
        print(json.dumps({"task_id": result.task["task_id"], "bytes": len(result.read())}))
    else:
        made = keepsake.upload(sys.argv[1], progress=progress, on_upload_id=on_upload_id, **options)
        assert told == sorted(told), told
        print(json.dumps({**made, "told": told}))
except Exception as error:
    print(json.dumps({"error": type(error).__name__, "upload_id": getattr(error, "upload_id", None), "code": error.code, "message": str(error)}))
`
  function upload(options: object = {}) {
    const child = spawn(python ?? '', ['-W', 'error', '-c', script, path, JSON.stringify(options)], {
      env: {
        PATH: process.env.PATH,
        PYTHONPATH: join(root, 'clients/python'),
        PYTHONDONTWRITEBYTECODE: '1',
        PYTHONUTF8: '1',
        KEEPSAKE_URL: `http://127.0.0.1:${proxy.port}`,
        KEEPSAKE_TOKEN: service.token,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let [said, complained] = ['', '']
    child.stdout.setEncoding('utf8').on('data', text => (said += text))
    child.stderr.setEncoding('utf8').on('data', text => (complained += text))
    const closed = event('the client is done', child, 'close')
    const lines = () =>
      said
        .split('\n')
        .slice(0, -1)
        .map(line => JSON.parse(line))
    return {
      child,
      closed,
      lines,
      async end() {
        await closed
        assert.equal(complained, '')
        return lines().at(-1)
      },
    }
  }
  const direct = (): Keepsake => new Keepsake({ url: service.url, token: service.token })

  test('an upload cut at random bytes is the file in the end, and a task takes it', async t => {
    cutAnywhere(random(seedOf(t)))
    const made = await upload({ chunk_bytes: CHUNK }).end()
    assert.equal(made.bytes, bytes.length, JSON.stringify(made))
    assert.equal(made.told.at(-1), bytes.length)
    assert.deepEqual(proxy.cutsAt, [], 'every cut was made')
    await assertTaken(direct(), made.upload_id)
  })

  test('a task with a large file comes through the same', async t => {
    cutAnywhere(random(seedOf(t)))
    const { task_id, bytes: length } = await upload({ run: 'small' }).end()
    assert.deepEqual(proxy.cutsAt, [])
    const input = await bytesOf(direct().tasks.input(task_id).blob())
    assert.equal(sha256(input), sha256(bytes))
    assert.equal((await bytesOf(direct().tasks.output(task_id, 0).blob())).length, length)
  })

  test('an answer that is lost is asked for, whichever it is', async () => {
    const from = proxy.sent()
    proxy.swallowsAt = [from, from + 9 * CHUNK, from + bytes.length]
    const { upload_id } = await upload({ chunk_bytes: CHUNK }).end()
    assert.deepEqual(proxy.swallowsAt, [])
    await assertTaken(direct(), upload_id)
  })

  test('a connection that falls silent is left for another', async () => {
    proxy.holdAfter = proxy.sent() + Math.floor(bytes.length / 2)
    const sending = upload({ chunk_bytes: CHUNK, client: { timeout: SILENCE_SECONDS } })
    await until('it stands still', () => proxy.sent() === proxy.holdAfter)
    proxy.holdAfter = null
    await assertTaken(direct(), (await sending.end()).upload_id)
  })

  test('a process that was killed half-way is gone on with by another', async t => {
    proxy.holdAfter = proxy.sent() + 1_200_000
    const first = upload({ chunk_bytes: CHUNK })
    t.after(() => first.child.kill('SIGKILL'))
    await until('half of it is sent', () => proxy.sent() === proxy.holdAfter)
    const [{ upload_id }] = first.lines()
    first.child.kill('SIGKILL')
    await first.closed
    proxy.holdAfter = null
    const made = await upload({ resume: upload_id, chunk_bytes: CHUNK }).end()
    assert.equal(made.upload_id, upload_id)
    assert.ok(made.told[0] >= 15 * CHUNK, String(made.told))
    await assertTaken(direct(), upload_id)
    const anew = await upload({ resume: `/api/upload/${upload_id}/` }).end()
    assert.notEqual(anew.upload_id, upload_id)
    assert.equal(anew.bytes, bytes.length)
  })

  test('an upload that another request holds on to is interrupted, not lost', async () => {
    const begun = await tus.begin(bytes.length)
    const holder = tus.appendSlowly(begun, 0, bytes, 100_000)
    await until('it is held', async () => (await tus.append(begun, bytes.length, Buffer.alloc(0))).status === 423)
    const told = await upload({ resume: begun, client: { retries: 0 } }).end()
    holder.end()
    await holder.closed
    assert.equal(told.error, 'UploadInterrupted', JSON.stringify(told))
    const made = await upload({ resume: told.upload_id }).end()
    assert.equal(await tus.offset(`/api/upload/${made.upload_id}/`), bytes.length)
  })
})
