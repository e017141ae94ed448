// s3_upload with files of several parts against a real S3 server.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { GetObjectCommand, HeadObjectCommand, ListMultipartUploadsCommand } from '@aws-sdk/client-s3'
import { s3Upload } from '#adapters/destinations/s3_upload.ts'
import { isProblem, type Problem } from '#kit/errors.ts'
import type { JsonObject } from '#kit/json.ts'
import { largeDestinationContract } from '../../contract/large-destination.ts'
import { s3Bed, s3Client } from '../../support/beds.ts'
import { cleanUp } from '../../support/clean-up.ts'
import { checkpointOf, randomFile, stepFor } from '../../support/delivery.ts'
import { startProxy } from '../../support/flaky-proxy.ts'
import { startS3 } from '../../support/s3-server.ts'

const server = await startS3()
after(() => server?.stop())

largeDestinationContract('s3_upload', async () => (server ? s3Bed(server) : null), {
  afterLostAnswer: 'one',
  resumes: true,
  // Three parts.
  underWay: 48 * 1024 ** 2,
})

suite('s3_upload of several parts', async () => {
  if (!server) return
  const folder = await mkdtemp(join(tmpdir(), 'keepsake-s3-large-'))
  const client = s3Client(server)
  const bucket = `souvenirs-${randomUUID().slice(0, 8)}`
  const noAcl = `no-acl-${randomUUID().slice(0, 8)}`
  before(async () => {
    await server.createBucket(bucket)
    await server.createBucket(noAcl)
  })
  after(() =>
    cleanUp(
      () => client.destroy(),
      () => rm(folder, { recursive: true, force: true }),
    ),
  )
  const auth = { access_key: server.accessKey, secret_key: server.secretKey }
  const step = (options: JsonObject = {}, rest = {}) =>
    stepFor(s3Upload, {
      options: { bucket_name: bucket, bucket_url: server.endpoint, file_name: 'photo.jpg', ...options },
      auth,
      ...rest,
    })
  const problem = async (work: Promise<unknown>): Promise<Problem> => {
    const error = await work.then(
      () => assert.fail('it was delivered'),
      (error: unknown) => error,
    )
    if (!isProblem(error)) throw error
    return error
  }
  const uploads = async () =>
    ((await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }))).Uploads ?? []).map(({ Key }) => Key)

  test('parts of another file are thrown away, and so is an upload that was aborted meanwhile', async () => {
    const proxy = await startProxy({ port: Number(new URL(server.endpoint).port) })
    const broken = step({ bucket_url: `http://127.0.0.1:${proxy.port}`, file_name: 'other.bin' })
    broken.progress = fraction => {
      if (fraction > 0.6) proxy.cutAfter ??= proxy.sent()
    }
    await problem(s3Upload.deliver(await randomFile(folder, 20 * 1024 ** 2), broken))
    const other = await randomFile(folder, 20 * 1024 ** 2)
    const checkpoint = checkpointOf(broken)
    for (let times = 0; times < 2; times++) {
      await s3Upload.deliver(other, step({ file_name: 'other.bin' }, { checkpoint }))
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: 'other.bin' }))
      assert.deepEqual(Buffer.from((await Body?.transformToByteArray()) ?? []), await readFile(other.path))
    }
    assert.deepEqual(await uploads(), [])
    await proxy.stop()
  })

  test('a large file goes on without an ACL where the bucket refuses ACLs, and anew with other words', async () => {
    const proxy = await startProxy({ port: Number(new URL(server.endpoint).port) })
    // Four parts and the beginning of a fifth: of the first three one has arrived when 95 % are on their way.
    const file = await randomFile(folder, 65 * 1024 ** 2)
    const options = {
      bucket_name: noAcl,
      bucket_url: `http://127.0.0.1:${proxy.port}`,
      file_name: 'open.bin',
      public: true,
    }
    const broken = step(options)
    broken.progress = fraction => {
      if (fraction > 0.95) proxy.cutAfter ??= proxy.sent()
    }
    await problem(s3Upload.deliver(file, broken))
    proxy.cutAfter = null
    const before = proxy.sent()
    const next = step(options, { checkpoint: checkpointOf(broken) })
    await s3Upload.deliver(file, next)
    assert.ok(proxy.sent() - before < 55 * 1024 ** 2, `sent ${proxy.sent() - before} again`)
    assert.match(next.heard.warnings[0] ?? '', /refuses ACLs/)
    const other = step({ ...options, cache_control: 'no-store' }, { checkpoint: checkpointOf(broken) })
    await s3Upload.deliver(file, other)
    const head = await client.send(new HeadObjectCommand({ Bucket: noAcl, Key: 'open.bin' }))
    assert.deepEqual([head.CacheControl, head.ContentLength], ['no-store', file.bytes])
    await proxy.stop()
  })

  test('a part that breaks is sent again within the attempt', async () => {
    const proxy = await startProxy({ port: Number(new URL(server.endpoint).port) })
    const file = await randomFile(folder, 20 * 1024 ** 2)
    const one = step({ bucket_url: `http://127.0.0.1:${proxy.port}`, file_name: 'again.bin' })
    let cut = false
    one.progress = fraction => {
      if (cut || fraction < 0.4) return
      cut = true
      proxy.cutAfter = proxy.sent()
      setTimeout(() => {
        proxy.cutAfter = null
      }, 200)
    }
    await s3Upload.deliver(file, one)
    assert.ok(cut)
    const { ContentLength } = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: 'again.bin' }))
    assert.equal(ContentLength, file.bytes)
    await proxy.stop()
  })
})
