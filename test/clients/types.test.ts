// The types of the client are those of the OpenAPI document. With KEEPSAKE_WRITE_DOCS=1 they are written instead.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { type Document, typescriptOf } from '../../scripts/client-types.ts'
import { newClient } from '../support/client.ts'
import { root } from '../support/markdown.ts'
import { startTestServer } from '../support/server.ts'

test('the types of the client are those of the service', async t => {
  const server = await startTestServer()
  t.after(() => server.stop())
  const document: Document = (await newClient(server, null).get('/api/openapi.json')).body
  for (const [file, made] of [['client/src/api-types.ts', typescriptOf(document)]] as const) {
    if (process.env.KEEPSAKE_WRITE_DOCS === '1') writeFileSync(root + file, made)
    assert.ok(existsSync(root + file), file)
    assert.equal(
      readFileSync(root + file, 'utf8'),
      made,
      `${file}: write it anew with: KEEPSAKE_WRITE_DOCS=1 node --test test/clients/types.test.ts`,
    )
  }
})
