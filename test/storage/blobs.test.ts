// How KEEPSAKE_BLOBS is read.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { BadSetting } from '#kit/settings.ts'
import { newBlobs, s3Place } from '#storage/blobs.ts'

const noKeys = { accessKey: null, secretKey: null, sessionToken: null }

describe('KEEPSAKE_BLOBS', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keepsake-setting-'))
  })
  after(() => rm(folder, { recursive: true, force: true }))

  it('is the data folder’s own when unset', async () => {
    await (await newBlobs(null, join(folder, 'data'), noKeys)).check()
    assert.deepEqual(await readdir(join(folder, 'data')), ['blobs'])
  })

  it('takes a folder as file:PATH or file:///PATH', async () => {
    for (const setting of [`file:${folder}/one`, `file://${folder}/two`])
      await (await newBlobs(setting, '/nowhere', noKeys)).check()
    assert.deepEqual((await readdir(folder)).filter(name => name !== 'data').sort(), ['one', 'two'])
  })

  it('takes a bucket with prefix, endpoint and region', () => {
    assert.deepEqual(s3Place('s3://bucket/a/b/?endpoint=https://s3.example&region=eu-1'), {
      bucket: 'bucket',
      prefix: 'a/b/',
      endpoint: 'https://s3.example',
      region: 'eu-1',
    })
    assert.deepEqual(s3Place('s3://bucket'), { bucket: 'bucket', prefix: '', endpoint: null, region: 'us-east-1' })
  })

  for (const [setting, why] of [
    ['gs://bucket', /must be file:PATH or s3:/],
    ['bucket', /must be file:PATH or s3:/],
    ['file:', /must name a folder/],
    ['s3://', /is not a URL|must name a bucket/],
    ['s3://B_/x', /must name a bucket/],
    ['s3://key:secret@bucket/x', /takes no keys/],
    ['s3://bucket/%E0%A4%A', /prefix/],
    ['s3://bucket/x?endpoint=ftp://host', /endpoint/],
    ['s3://bucket/x?end_point=https://host', /unknown parameter "end_point"/],
    ['s3://bucket/x?endpoint=https://host', /AWS_ACCESS_KEY_ID/],
  ] as const) {
    it(`stops the start for ${setting}`, async () => {
      await assert.rejects(
        newBlobs(setting, folder, noKeys),
        error => error instanceof BadSetting && why.test(error.message) && !error.message.includes('\n'),
      )
    })
  }

  it('stops the start when only one of the two keys is set', async () => {
    await assert.rejects(newBlobs('s3://bucket', folder, { ...noKeys, accessKey: 'a' }), /must be set together/)
  })
})
