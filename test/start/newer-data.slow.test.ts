// Every command on a database that a newer version has changed: one line, and nothing is touched.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { migrate } from '#db/migrate.ts'
import { emptyDatabase } from '../support/postgres.ts'
import { start, testFolder } from './keepsake.ts'

const SAYS =
  'The database was changed by a newer Keepsake (migration 9999_later.sql), which this version does not know; start that version or a later one'

test('newer data is refused with one line by every command', async t => {
  const folder = testFolder(t)
  const { url } = await emptyDatabase(t)
  await migrate(url)
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(`insert into migrations (name) values ('9999_later.sql')`)
  } finally {
    await client.end()
  }
  writeFileSync(join(folder, 'event.json'), JSON.stringify({ configurations: [] }))
  const keepsake = async (...args: string[]): Promise<{ code: unknown; lines: string[] }> => {
    const run = start(t, { data: join(folder, 'data'), env: { DATABASE_URL: url, KEEPSAKE_ROLE: 'all' }, args })
    return { code: await run.exit(), lines: run.said().trim().split('\n') }
  }
  for (const command of [
    ['serve'],
    ['api'],
    ['worker'],
    ['migrate'],
    ['token', '--name', 'door'],
    ['run', 'photo.jpg', '-c', 'flip', '--local'],
    ['apply', 'event.json'],
  ]) {
    const { code, lines } = await keepsake(...command)
    // A log line of the start may stand before it.
    const said = lines.filter(line => !line.startsWith('{'))
    assert.deepEqual([code, said], [1, [`keepsake: ${SAYS}`]], command.join(' '))
  }
  const doctor = await keepsake('doctor')
  assert.equal(doctor.code, 1)
  assert.ok(doctor.lines.includes(`fail  database      ${SAYS}`), doctor.lines.join('\n'))
})
