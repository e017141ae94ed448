// Random kill -9 of everything there is, under load, with a flaky destination and a flaky receiver.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROUND, runKills, victimsOf } from '../support/chaos-kills.ts'
import { random, seedOf } from '../support/seed.ts'

const KILLS = 12

test('a round of kills has all four kinds, whatever the seed', () => {
  for (let seed = 1; seed <= 1_000; seed++)
    assert.equal(new Set(victimsOf(ROUND, random(seed))).size, 4, `with the seed ${seed}`)
  assert.ok(KILLS >= ROUND)
})

test('200 tasks survive 12 kills of worker, API, PostgreSQL and all at once: none lost, none twice', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-kills-'))
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const say = (line: string) => t.diagnostic(line)
  const report = await runKills({ tasks: 200, kills: KILLS, seed: seedOf(t, 20_261_115), folder, say })
  t.diagnostic(JSON.stringify(report))
  assert.ok(
    Object.values(report.killed).every(count => count > 0),
    'each of them was killed at least once',
  )
  assert.ok(report.failed <= 4, `${report.failed} tasks were given up`)
})
