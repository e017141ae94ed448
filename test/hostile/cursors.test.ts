// Cursors of lists that nobody was given: refused, whatever they are made of.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '#kit/ids.ts'
import { newClient } from '../support/client.ts'
import { seedRows } from '../support/seed-rows.ts'
import { startTestServer } from '../support/server.ts'

const written = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

test('a cursor that is made up, of another list or bent is refused', async t => {
  const server = await startTestServer()
  t.after(() => server.stop())
  for (const experience of ['ours', 'theirs']) await seedRows(server.db, server.services.secretBox, experience)
  const client = newClient(server)
  const { body } = await client.get('/api/profile/?limit=1')
  assert.ok(body.next_cursor, 'the other list has a second page')
  const cursors = [
    body.next_cursor,
    'x',
    written(null),
    written({}),
    written([]),
    written(['tasks']),
    written(['tasks', 'now', newId()]),
    written(['tasks', -1, newId()]),
    written(['tasks', 1e300, newId()]),
    written(['tasks', '9'.repeat(19), newId()]),
    written(['tasks', '9'.repeat(20), newId()]),
    written(['tasks', '-1', newId()]),
    written(['tasks', '1e3', newId()]),
    written(['tasks', 1, "' or true --"]),
    written(['tasks', 1, { id: newId() }]),
    written(['tasks', [1], newId()]),
    written(['pg_user', 1, newId()]),
    written(['__proto__', 1, newId()]),
  ]
  for (const cursor of cursors) {
    const { status, body: refused } = await client.get(`/api/task/?cursor=${encodeURIComponent(cursor)}`)
    assert.deepEqual([status, refused.code], [400, 'bad_cursor'], cursor)
  }
})
