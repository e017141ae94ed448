// The S3 server that tests lean on behaves as theirs expect.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { statusOf } from './client.ts'
import { startS3 } from './s3-server.ts'

const s3 = await startS3()

if (s3) {
  const client = (accessKeyId: string, secretAccessKey: string) =>
    new S3Client({
      endpoint: s3.endpoint,
      region: s3.region,
      forcePathStyle: true,
      credentials: { accessKeyId, secretAccessKey },
    })
  const owner = client(s3.accessKey, s3.secretKey)
  const put = (Bucket: string, Key: string, ACL?: 'public-read') =>
    owner.send(new PutObjectCommand({ Bucket, Key, Body: Key, ...(ACL && { ACL }) }))

  describe('the S3 server for tests', () => {
    before(async () => {
      await s3.createBucket('open')
      await s3.createBucket('no-acl-here')
    })
    after(() => s3.stop())

    it('lets anyone read what is public and nobody else what is not', async () => {
      await put('open', 'public é', 'public-read')
      await put('open', 'private')
      assert.equal(await (await fetch(`${s3.endpoint}/open/public%20%C3%A9`)).text(), 'public é')
      assert.equal(await statusOf(`${s3.endpoint}/open/private`), 403)
      const other = client(s3.other.accessKey, s3.other.secretKey)
      await assert.rejects(other.send(new GetObjectCommand({ Bucket: 'open', Key: 'private' })), {
        name: 'AccessDenied',
      })
    })

    it('refuses wrong keys', async () => {
      const wrong = client(s3.accessKey, 'wrong')
      await assert.rejects(wrong.send(new GetObjectCommand({ Bucket: 'open', Key: 'private' })), {
        name: 'SignatureDoesNotMatch',
      })
    })

    it('refuses ACLs where the bucket has none', async () => {
      await put('no-acl-here', 'plain')
      await assert.rejects(put('no-acl-here', 'public', 'public-read'), { name: 'AccessControlListNotSupported' })
    })
  })
}
