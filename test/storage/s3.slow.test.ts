// The blob store in S3, against a real server: the contract, and what only a server can do wrong.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { isProblem } from '#kit/errors.ts'
import { type Blobs, newBlobs } from '#storage/blobs.ts'
import { blobStoreContract } from '../contract/blob-store.ts'
import { newClient } from '../support/client.ts'
import { flip } from '../support/configurations.ts'
import { chain, single, startKeepsake } from '../support/keepsake.ts'
import { pattern, png } from '../support/pictures.ts'
import { type S3Server, startS3 } from '../support/s3-server.ts'
import { startTestServer } from '../support/server.ts'
import { idOf, newTus, sha256 } from '../support/tus.ts'
import { event, soon } from '../support/until.ts'

const s3 = await startS3()

if (s3) {
  let blobs: Blobs
  before(async () => {
    await s3.createBucket('files')
    blobs = await store(s3)
  })
  after(() => s3.stop())

  blobStoreContract('a blob store in S3', () => blobs)

  describe('a blob store in S3, besides', () => {
    const client = new S3Client({
      endpoint: s3.endpoint,
      region: s3.region,
      forcePathStyle: true,
      credentials: { accessKeyId: s3.accessKey, secretAccessKey: s3.secretKey },
    })
    const uploads = async () => (await client.send(new ListMultipartUploadsCommand({ Bucket: 'files' }))).Uploads ?? []
    after(() => client.destroy())

    it('leaves no unfinished upload after all of that but one whose beginning could not be noted', async () => {
      const left = await uploads()
      assert.equal(left.length, 1)
      for (const { Key, UploadId } of left)
        await client.send(new AbortMultipartUploadCommand({ Bucket: 'files', Key, UploadId }))
    })

    it('keeps two prefixes of one bucket apart', async () => {
      const other = await store(s3, 'files/other')
      const { blob } = await other.put(one('theirs'))
      assert.ok(!(await Array.fromAsync(blobs.list())).some(info => info.blob === blob))
      await assert.rejects(blobs.read(blob), error => isProblem(error, 'gone'))
    })

    it('sweeps no upload that has only begun', async () => {
      await client.send(new CreateMultipartUploadCommand({ Bucket: 'files', Key: 'kept/x' }))
      assert.equal(await blobs.sweep(), 0)
      assert.equal((await uploads()).length, 1)
    })

    it('receives resumable uploads, cut and gone on with, for tasks', async () => {
      const server = await startTestServer({ blobs })
      try {
        assert.equal((await newClient(server).post('/api/configuration/', flip('turn'))).status, 201)
        const tus = newTus(() => server.url, server.token)
        const bytes = randomBytes(8 * 1024 ** 2 + 3)
        const path = await tus.begin(bytes.length)
        assert.equal((await tus.append(path, 0, bytes.subarray(0, 1000))).status, 204)
        await tus.appendCut(path, 1000, bytes.subarray(1000), 6 * 1024 ** 2, 1_000)
        const offset = await tus.offset(path)
        assert.ok(offset > 1000, String(offset))
        assert.equal((await tus.append(path, offset, bytes.subarray(offset))).status, 204)
        const body = new FormData()
        body.append('configuration_name', 'turn')
        body.append('data_upload', idOf(path))
        const task = await newClient(server).send('POST', '/api/task/', { body })
        assert.equal(task.status, 202, JSON.stringify(task.body))
        assert.equal(sha256(Buffer.concat(await (await blobs.read(idOf(path))).toArray())), sha256(bytes))
        const left = await tus.begin(10)
        await tus.append(left, 0, Buffer.alloc(4))
        assert.equal((await tus.send('DELETE', left)).status, 204)
      } finally {
        await server.stop()
      }
    })

    for (const [what, isIt] of [
      ['a part', ({ method, url }) => method === 'PUT' && /partNumber=2&/.test(url ?? '')],
      ['the end of an upload', ({ method, url }) => method === 'POST' && /uploadId=/.test(url ?? '')],
    ] satisfies [string, (request: IncomingMessage) => boolean][]) {
      it(`answers unavailable when the server refuses ${what}, and leaves nothing`, async () => {
        await using relay = await startRelay(s3.endpoint, (request, pass, answer) => {
          if (!isIt(request)) return pass()
          request.resume()
          answer.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>')
        })
        const before = await Array.fromAsync(blobs.list())
        const refused = await store({ ...s3, endpoint: relay.endpoint })
        const put = refused.put(many(Buffer.alloc(64 * 1024), 400))
        await assert.rejects(put, error => isProblem(error, 'unavailable') && /refused our keys/.test(error.message))
        assert.deepEqual((await Array.fromAsync(blobs.list())).length, before.length)
        assert.deepEqual(
          (await uploads()).map(({ Key }) => Key),
          ['kept/x'],
        )
      })
    }

    it('ends a request that is under way when it is aborted', async () => {
      const control = new AbortController()
      const reason = new Error('enough')
      const ended = Promise.withResolvers<void>()
      await using relay = await startRelay(s3.endpoint, request => {
        request.resume().on('end', () => control.abort(reason))
        request.socket.on('close', () => ended.resolve())
      })
      const held = await store({ ...s3, endpoint: relay.endpoint })
      const put = held.put(one('never answered'), { signal: control.signal })
      await soon(
        'the upload ends',
        assert.rejects(put, error => error === reason),
      )
      await soon('the connection is closed', ended.promise)
    })

    it('answers unavailable when the keys are wrong', async () => {
      const wrong = await store({ ...s3, secretKey: 'wrong' })
      await assert.rejects(
        wrong.check(),
        error => isProblem(error, 'unavailable') && /refused our keys/.test(error.message),
      )
    })

    it('is asked for a file once in a run, however many branches of the chain take it', async () => {
      const asked: string[] = []
      await using relay = await startRelay(s3.endpoint, ({ method, url = '' }, pass) => {
        if (method === 'GET' && !url.includes('list-type')) asked.push(new URL(url, 'http://store').pathname)
        pass()
      })
      const keepsake = await startKeepsake({
        settings: {
          blobs: settingFor({ ...s3, endpoint: relay.endpoint }, 'files/run'),
          s3AccessKey: s3.accessKey,
          s3SecretKey: s3.secretKey,
        },
      })
      try {
        await keepsake.configure(single('turn', 'photo_flip', { method: 'ROTATE_90' }))
        await keepsake.configure(
          chain('thrice', [
            ['turn', null],
            ['turn', null],
            ['turn', null],
            ['turn', 2],
          ]),
        )
        const data = new Blob([new Uint8Array(await png(pattern(9, 5, 3)))])
        const { body } = await keepsake.send('/api/task/', { configuration_name: 'thrice', data })
        const { status, entries } = await keepsake.ended(`/api/task/${body.task_id}/`)
        assert.deepEqual([status, entries.length], ['Succeeded', 4])
        assert.ok(asked.length > 0)
        assert.deepEqual(asked, [...new Set(asked)])
      } finally {
        await keepsake.stop()
      }
    })

    it('answers unavailable when there is no such bucket', async () => {
      const missing = await store(s3, 'missing')
      await assert.rejects(missing.check(), error => isProblem(error, 'unavailable') && /bucket/.test(error.message))
    })

    it('answers unavailable when nobody listens', async () => {
      const nobody = await store({ ...s3, endpoint: 'http://127.0.0.1:9' })
      await assert.rejects(nobody.check(), error => isProblem(error, 'unavailable'))
    })
  })
}

const settingFor = ({ endpoint, region }: S3Server, place: string): string =>
  `s3://${place}?endpoint=${encodeURIComponent(endpoint)}&region=${region}`

function store(server: S3Server, place = 'files/kept'): Promise<Blobs> {
  const { accessKey, secretKey } = server
  return newBlobs(settingFor(server, place), '/nowhere', { accessKey, secretKey, sessionToken: null })
}

interface Relay extends AsyncDisposable {
  endpoint: string
}

/** In front of the server; `decide` passes a request on or deals with it. */
async function startRelay(
  to: string,
  decide: (request: IncomingMessage, pass: () => void, answer: ServerResponse) => void,
): Promise<Relay> {
  const { hostname, port } = new URL(to)
  const server = createServer((asked, answer) => {
    const pass = () => {
      const { method, url: path, headers } = asked
      const onward = request({ hostname, port, method, path, headers }, answered => {
        answer.writeHead(answered.statusCode ?? 502, answered.headers)
        answered.pipe(answer)
      })
      asked.pipe(onward.on('error', () => answer.destroy()))
    }
    decide(asked, pass, answer)
  })
  await event('the relay listens', server.listen(0, '127.0.0.1'), 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

async function* many(chunk: Buffer, times: number): AsyncGenerator<Buffer> {
  for (let i = 0; i < times; i++) yield chunk
}

async function* one(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}
