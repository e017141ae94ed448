// Two versions on one database: the next one migrates while this one works, both go on, and this one may start again.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { knownMigrations } from '#db/migrate.ts'
import { assertNothingLeft, assertOutcomes, configure, newGrounds, sendTask, settled } from '../support/chaos.ts'
import { nextVersion } from '../support/next-version.ts'
import { pattern, png } from '../support/pictures.ts'
import { until } from '../support/until.ts'

/** As a later version would: room for what it knows more, in the tables that are read and written most. */
const additions = (beside: string): string => `-- A later version tells more.
-- beside: ${beside}
alter table tasks add column later_note text;
alter table chains add column later_note text not null default '';
alter table entries add column later_note text;
alter table callbacks add column later_note text;
alter table workers add column later_note text;
create table later_things (thing_id uuid primary key, task_id uuid references tasks on delete cascade);
`

/** The next version, with one migration more. */
async function migrated(folder: string): Promise<string> {
  const project = nextVersion(folder)
  const newest = (await knownMigrations()).at(-1) as string
  writeFileSync(join(project, 'migrations/9001_later.sql'), additions(newest))
  return project
}

test('this version and the next work side by side, and nothing is lost or made twice', async () => {
  const grounds = await newGrounds()
  try {
    const { token, start, query } = grounds
    const next = await migrated(grounds.folder)
    const api = await start('api')
    await configure(grounds, grounds.client(api.url))
    const data = new Blob([new Uint8Array(await png(pattern(24, 16, 3)))])
    const profile = { rfid: 'door-1', experience_id: 'park' }
    assert.equal((await grounds.client(api.url).post('/api/profile/', profile)).status, 201)
    const send = async (url: string, count: number) => {
      for (let at = 0; at < count; at++) {
        const answer = await sendTask(url, token, { configuration: 'park', data, extras: { rfid: ['door-1'] } })
        assert.equal(answer?.status, 202, JSON.stringify(answer))
      }
    }
    const worker = await start('worker')
    // Both have asked everything once: what is prepared on a connection must stand the change of the tables.
    await send(api.url, 6)
    await settled(grounds)
    await send(api.url, 6)

    const { env } = grounds
    const ran = spawnSync(process.execPath, [join(next, 'src/main.ts'), 'migrate'], { env: { ...process.env, ...env } })
    assert.equal(ran.status, 0, String(ran.stderr))
    const later = await start('api', {}, next)
    assert.deepEqual(await query('select name from migrations where name > $1', ['9']), [{ name: '9001_later.sql' }])
    const laterWorker = await start('worker', {}, next)
    for (let round = 0; round < 3; round++) {
      await send(api.url, 4)
      await send(later.url, 4)
    }
    worker.kill('SIGTERM')
    assert.equal(await worker.exit(), 0, worker.said())
    const again = await start('worker')
    await send(api.url, 4)
    await send(later.url, 4)
    await settled(grounds)
    const listed = (await grounds.client(api.url).get('/api/task/?limit=100')).body.items
    assert.deepEqual((await grounds.client(later.url).get('/api/task/?limit=100')).body.items, listed)
    assert.equal(listed.length, 6 + 6 + 24 + 8)
    await assertOutcomes(grounds)
    const workers = await query<{ worker_id: string }>('select distinct worker_id from workers')
    assert.equal(workers.length, 2, 'both versions are at work')
    again.kill('SIGTERM')
    assert.equal(await again.exit(), 0, again.said())
    laterWorker.kill('SIGTERM')
    later.kill('SIGTERM')
    assert.deepEqual([await laterWorker.exit(), await later.exit()], [0, 0], laterWorker.said() + later.said())
    await assertNothingLeft(grounds)

    // A change that is for later processes alone.
    await query(`update migrations set beside = '9001_later.sql' where name = '9001_later.sql'`)
    await assert.rejects(
      start('worker'),
      /^Error: the worker did not start: The database was changed by a newer Keepsake/,
    )
    await until('the API goes on', async () => (await grounds.client(api.url).get('/api/task/')).status === 200)
  } finally {
    await grounds.stop()
  }
})
