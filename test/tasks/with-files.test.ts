import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { test } from 'node:test'
import { Problem } from '#kit/errors.ts'
import { withFiles } from '#tasks/entry/local-files.ts'
import { newFolder, pattern, png } from '../support/pictures.ts'

const corrupt = new Problem('corrupt_input', 'The picture is damaged.')
const unknown = new Problem('outcome_unknown', 'It may have arrived.')
const failing = (error: Error) => () => Promise.reject(error)

test('what is said of a file counts while the file is there', async () => {
  await using folder = await newFolder()
  const file = await folder.file('a.png', await png(pattern(4, 4, 3)))
  assert.equal(await withFiles([file], async () => 'made'), 'made')
  await assert.rejects(withFiles([file], failing(corrupt)), corrupt)
})

test('a file that vanished under the work is tried again and not blamed, unless its delivery may have arrived', async () => {
  await using folder = await newFolder()
  const file = await folder.file('a.png', await png(pattern(4, 4, 3)))
  await rm(file.path)
  await assert.rejects(withFiles([file], failing(corrupt)), { code: 'unavailable' })
  await assert.rejects(withFiles([file], failing(new Error('ENOENT'))), { code: 'unavailable' })
  await assert.rejects(withFiles([file], failing(unknown)), unknown)
})
