// Every destination that names what it delivers tells before it runs that a name is unusable.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { azureBlobUpload } from '#adapters/destinations/azure_blob_upload.ts'
import { gcsUpload } from '#adapters/destinations/gcs_upload.ts'
import { localFile } from '#adapters/destinations/local_file.ts'
import { s3Upload } from '#adapters/destinations/s3_upload.ts'
import { sftpUpload } from '#adapters/destinations/sftp_upload.ts'
import { youtubeUpload } from '#adapters/destinations/youtube_upload.ts'
import type { JsonObject } from '#kit/json.ts'
import { withDefaults } from '#kit/schema.ts'

for (const adapter of [azureBlobUpload, gcsUpload, localFile(null), s3Upload, sftpUpload])
  test(`${adapter.name} refuses an unusable name, also beside placeholders and without its required options`, () => {
    const review = (options: JsonObject) => adapter.review?.(withDefaults(adapter.options, options), new Set())
    assert.deepEqual(review({}), [])
    assert.deepEqual(review({ file_name: '../../z' }), [
      {
        kind: 'wrong',
        field: 'file_name',
        message: 'must make a usable name together with file_prefix: it holds "." or ".." as a folder',
      },
    ])
    assert.deepEqual(review({ file_prefix: 'a/../' }), [
      {
        kind: 'wrong',
        field: 'file_prefix',
        message: 'must make a usable name together with file_name: it holds "." or ".." as a folder',
      },
    ])
    assert.deepEqual(review({ file_prefix: '{{name}}', file_name: '../x' }), [])
  })

test('youtube_upload misses a title that is blank, not one that is left to the task', () => {
  const review = (options: JsonObject) =>
    youtubeUpload.review?.(withDefaults(youtubeUpload.options, options), new Set())
  assert.deepEqual(review({}), [])
  assert.deepEqual(review({ title: '{{name}}' }), [])
  assert.deepEqual(review({ title: '  ' }), [
    { kind: 'missing', field: 'title', message: 'is empty; YouTube wants one' },
  ])
})
