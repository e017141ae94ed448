// Resumable uploads with the clients that people use, through kill -9 of the API, with several APIs, cut at any byte.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ReadableStream } from 'node:stream/web'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Upload } from 'tus-js-client'
import { configure, type Grounds, newGrounds } from '../support/chaos.ts'
import type { Part } from '../support/chaos-process.ts'
import { freePort } from '../support/free-port.ts'
import { random, seedOf } from '../support/seed.ts'
import { idOf, newTus, PIECE, sha256, type Tus } from '../support/tus.ts'
import { soon, until, WAIT_MS } from '../support/until.ts'

const MiB = 1024 ** 2

describe('resumable uploads', () => {
  let grounds: Grounds
  let api: Part
  let port: number
  let tus: Tus
  const url = () => `http://127.0.0.1:${port}`

  async function startApi(): Promise<void> {
    api = await grounds.start('api', { PORT: String(port) })
  }
  async function killApi(): Promise<void> {
    api.kill('SIGKILL')
    await api.exit()
    await startApi()
  }

  before(async () => {
    grounds = await newGrounds({ env: { FFMPEG_PATH: 'none', FFPROBE_PATH: 'none' } })
    port = await freePort()
    await startApi()
    await configure(grounds, grounds.client(url()))
    tus = newTus(url, grounds.token)
  })
  after(() => grounds?.stop())

  /** The file of a task that names the upload. */
  async function taken(id: string, at = url()): Promise<Buffer> {
    const form = new FormData()
    form.append('configuration_name', 'park')
    form.append('data_upload', id)
    const task = await grounds.client(at).send('POST', '/api/task/', { body: form })
    assert.equal(task.status, 202, JSON.stringify(task.body))
    const file = await fetch(`${at}/api/task/${task.body.task_id}/input/`, {
      headers: { authorization: `Bearer ${grounds.token}` },
    })
    return Buffer.from(await file.arrayBuffer())
  }

  it('come through with tus-js-client, though the API is killed again and again', async t => {
    const next = random(seedOf(t))
    const bytes = randomBytes(12 * MiB + 7)
    const done = Promise.withResolvers<void>()
    // Never in the last fifth, so that each kill comes in between.
    const kills = [1, 2, 3, 4].map(kill => bytes.length * ((kill - next()) / 5))
    let killing = Promise.resolve()
    const upload = new Upload(bytes, {
      endpoint: `${url()}/api/upload/`,
      headers: { authorization: `Bearer ${grounds.token}` },
      metadata: { filename: 'clip.mp4' },
      chunkSize: 128 * 1024,
      onChunkComplete: (_bytes, accepted) => {
        if (accepted < (kills[0] ?? Number.POSITIVE_INFINITY)) return
        kills.shift()
        killing = killing.then(killApi)
      },
      retryDelays: Array.from({ length: 500 }, () => 200),
      onSuccess: () => done.resolve(),
      onError: error => done.reject(error),
    })
    upload.start()
    await soon('the client is done', done.promise)
    await killing
    assert.deepEqual(kills, [], 'it was killed four times')
    assert.equal(sha256(await taken(idOf(upload.url ?? ''))), sha256(bytes))
  })

  it('go on from what was noted when the API is killed in the middle of a request', async t => {
    const next = random(seedOf(t))
    const bytes = randomBytes(40 * MiB)
    const path = await tus.begin(bytes.length)
    let sent = 0
    async function* slowly(from: number): AsyncGenerator<Uint8Array> {
      for (sent = from; sent < bytes.length; ) {
        yield new Uint8Array(bytes.subarray(sent, sent + 64 * 1024))
        sent = Math.min(bytes.length, sent + 64 * 1024)
        await sleep(3)
      }
    }
    let kept = 0
    for (let kill = 0; kill < 3; kill++) {
      const offset = await tus.offset(path)
      assert.ok(offset >= kept && offset <= bytes.length)
      kept = offset
      const sending = fetch(url() + path, {
        method: 'PATCH',
        headers: {
          authorization: `Bearer ${grounds.token}`,
          'tus-resumable': '1.0.0',
          'content-type': PIECE,
          'upload-offset': String(offset),
        },
        body: ReadableStream.from(slowly(offset)),
        duplex: 'half',
      } as RequestInit).catch(() => null)
      const enough = offset + (6 + next() * 5) * MiB
      await until('as much is sent', () => sent >= enough, WAIT_MS, 2)
      await killApi()
      await soon('the request is over', sending)
    }
    const offset = await tus.offset(path)
    assert.ok(offset > 0, 'something is kept')
    assert.equal((await tus.append(path, offset, bytes.subarray(offset))).status, 204)
    assert.equal(sha256(await taken(idOf(path))), sha256(bytes))
  })

  it('are one over several APIs: locked for the others, and free when their API dies', async () => {
    const second = await grounds.start('api')
    const other = newTus(() => second.url, grounds.token)
    const bytes = randomBytes(3 * MiB)
    const path = await tus.begin(bytes.length)
    assert.equal((await other.append(path, 0, bytes.subarray(0, MiB))).status, 204)
    assert.equal(await tus.offset(path), MiB)
    const open = tus.appendOpen(path, MiB, bytes.subarray(MiB), MiB)
    const busy = await until('the other API is refused', async () => {
      // At a wrong offset, so that it takes nothing away if it comes first.
      const answer = await other.append(path, bytes.length, Buffer.alloc(0))
      assert.ok([409, 423].includes(answer.status), String(answer.status))
      return answer.status === 423 && answer
    })
    assert.equal(busy.body.code, 'upload_busy')
    api.kill('SIGKILL')
    await api.exit()
    await open.closed
    const offset = await other.offset(path)
    assert.ok(offset >= MiB)
    const { status } = await other.append(path, offset, bytes.subarray(offset))
    assert.equal(status, 204, 'it is free at the first try')
    assert.equal(sha256(await taken(idOf(path), second.url)), sha256(bytes))
    await startApi()
  })

  it('leave nothing behind when their time is over', async () => {
    const path = await tus.begin(2 * MiB)
    await tus.appendCut(path, 0, randomBytes(2 * MiB), MiB, 200)
    await until('it is let go', async () => (await tus.offset(path)) > 0)
    await grounds.query(`update resumable_uploads set expires_at = now() - interval '1 second'`)
    const worker = await grounds.start('worker')
    await until('it is swept', async () => (await grounds.query('select from resumable_uploads')).length === 0)
    worker.kill('SIGKILL')
    await worker.exit()
    assert.deepEqual(readdirSync(join(grounds.folder, 'blobs', 'growing')), [])
  })
})
