// A whole Keepsake from its first start to a kill of everything, and what the next one makes of that.
import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readPidFile } from '#postgres/postmaster.ts'
import { killAnyway } from '../support/clean-up.ts'
import { descendants } from '../support/processes.ts'
import { answers, start, testFolder } from './keepsake.ts'

test('a first start, and a start after a kill of the whole tree', async t => {
  const data = join(testFolder(t), 'data')
  const first = start(t, { data })
  const url = await first.ready()
  const token = readFileSync(join(data, 'admin-token'), 'utf8').trim()

  await t.test('the first start shows the admin token once', async () => {
    assert.equal(await answers(url, '/readyz'), 200)
    assert.equal(first.said().split(token).length, 2)
    assert.ok(first.said().includes(data))
    for (const name of ['admin-token', 'secret-key', 'postgres-password'])
      assert.equal(statSync(join(data, name)).mode & 0o777, 0o600)
    assert.equal(statSync(data).mode & 0o777, 0o700)
  })

  await t.test('after kill -9 of the whole tree it heals by itself', async () => {
    const postmaster = readPidFile(join(data, 'postgres'))?.pid ?? assert.fail('no database runs')
    for (const pid of [first.pid, ...descendants(first.pid), postmaster]) killAnyway(pid)
    assert.equal(await first.exit(), 'SIGKILL')
    const second = start(t, { data })
    const there = await second.ready()
    assert.equal(await answers(there, '/readyz'), 200)
    assert.notEqual(readPidFile(join(data, 'postgres'))?.pid, postmaster)
    assert.ok(!second.said().includes(token), 'the token is shown once')
    second.kill('SIGTERM')
    assert.equal(await second.exit(), 0, second.said())
  })
})
