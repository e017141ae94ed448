// The blob store in S3, against a real server: the contract, and what only a server can do wrong.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { CreateMultipartUploadCommand, ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3'
import { isProblem } from '#kit/errors.ts'
import { type Blobs, newBlobs } from '#storage/blobs.ts'
import { blobStoreContract } from '../contract/blob-store.ts'
import { type S3Server, startS3 } from '../support/s3-server.ts'

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

    it('leaves no unfinished upload after all of that', async () => {
      assert.deepEqual(await uploads(), [])
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

    it('answers unavailable when the keys are wrong', async () => {
      const wrong = await store({ ...s3, secretKey: 'wrong' })
      await assert.rejects(
        wrong.check(),
        error => isProblem(error, 'unavailable') && /refused our keys/.test(error.message),
      )
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

function store({ endpoint, region, accessKey, secretKey }: S3Server, place = 'files/kept'): Promise<Blobs> {
  const setting = `s3://${place}?endpoint=${encodeURIComponent(endpoint)}&region=${region}`
  return newBlobs(setting, '/nowhere', { accessKey, secretKey, sessionToken: null })
}

async function* one(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}
