// The types of the clients are those of the OpenAPI document. With KEEPSAKE_WRITE_DOCS=1 they are written instead.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { type Document, typescriptOf } from '../../scripts/client-types.ts'
import { pythonOf } from '../../scripts/client-types-python.ts'
import { startKeepsake } from '../support/keepsake.ts'
import { root } from '../support/markdown.ts'

test('the types of both clients are those of the service', async t => {
  // With the adapters that ship, which the document describes.
  const keepsake = await startKeepsake({ worker: false })
  t.after(() => keepsake.stop())
  const document: Document = (await keepsake.client.get('/api/openapi.json')).body
  for (const [file, made] of [
    ['client/src/api-types.ts', typescriptOf(document)],
    ['clients/python/keepsake/types.py', pythonOf(document)],
  ] as const) {
    if (process.env.KEEPSAKE_WRITE_DOCS === '1') writeFileSync(root + file, made)
    assert.ok(existsSync(root + file), file)
    assert.equal(
      readFileSync(root + file, 'utf8'),
      made,
      `${file}: write it anew with: KEEPSAKE_WRITE_DOCS=1 node --test test/clients/types.test.ts`,
    )
  }
})
