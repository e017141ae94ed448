// The history of a thing in the console: who changed what, field by field, and only for those who may know.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changesOf } from '../../console/src/history/changes.ts'
import type { Keepsake } from '../support/keepsake.ts'
import { accessible, type Browser, signedIn, skip, withConsole } from './browser.ts'

let keepsake: Keepsake
let browser: Browser
withConsole(started => {
  ;({ keepsake, browser } = started)
})

test('a change is told field by field, down into objects, and not for what changes with every write', () => {
  const before = {
    name: 'frame',
    updated_at: '2026-01-01T00:00:00.000Z',
    adapter_config: { defaults: { width: 10, fit: 'cover' }, auth: { key: '********' } },
    webhook_url: null,
  }
  const after = {
    ...before,
    updated_at: '2026-01-02T00:00:00.000Z',
    adapter_config: { defaults: { width: 20 }, auth: { key: '********' } },
    webhook_url: 'https://example.com/',
    layers: { left_out_characters: 20_000 },
  }
  assert.deepEqual(changesOf({ before, after }), [
    { field: 'adapter_config.defaults.width', before: '10', after: '20' },
    { field: 'adapter_config.defaults.fit', before: 'cover', after: null },
    { field: 'webhook_url', before: 'none', after: 'https://example.com/' },
    { field: 'layers', before: null, after: 'too long to be kept' },
  ])
  assert.deepEqual(changesOf({ before: null, after }), [], 'what was just made has no fields to compare')
  const long = changesOf({ before: { text: '' }, after: { text: 'x'.repeat(5000) } })
  assert.deepEqual(long[0]?.before, 'empty')
  assert.ok((long[0]?.after?.length ?? 0) < 200, 'a long value is cut')
})

test('the page of a guest tells who changed what; who may not read the audit sees no history', { skip }, async () => {
  const { client } = keepsake
  const made = await client.post('/api/profile/', { email: 'adda@example.com', attributes: { name: 'Ada' } })
  const path = `/api/profile/${made.body.profile_id}/`
  assert.equal((await client.patch(path, { email: ['ada@example.com'] })).status, 200)
  const { page, context, broken } = await signedIn(browser, keepsake)
  await page.goto(`/profiles/${made.body.profile_id}`)
  const history = page.getByRole('list', { name: 'Changes' })
  await history.getByText('Changed').waitFor()
  await history.getByText('Made', { exact: true }).waitFor()
  await history.getByRole('deletion').getByText('["adda@example.com"]').waitFor()
  await history.getByRole('insertion').getByText('["ada@example.com"]').waitFor()
  assert.equal(await history.getByText('with a token').count(), 2)
  await accessible(page, 'a guest with a history')
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await page.getByLabel('RFID').fill('04A2')
  await page.getByRole('button', { name: 'Save' }).click()
  await history.getByRole('insertion').getByText('["04A2"]').waitFor()
  assert.deepEqual((await client.get(path)).body.rfid, ['04A2'])
  await context.close()

  const { body } = await client.post('/api/token/', { name: 'door', scopes: ['write'] })
  const door = await signedIn(browser, { url: keepsake.url, token: body.token })
  await door.page.goto(`/profiles/${made.body.profile_id}`)
  await door.page.getByRole('heading', { name: 'Found by' }).waitFor()
  assert.equal(await door.page.getByRole('heading', { name: 'History' }).count(), 0)
  assert.deepEqual([...broken, ...door.broken], [])
  await door.context.close()
})
