// Random kill -9 of everything there is, under load, with a flaky destination and a flaky receiver.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { runKills } from '../support/chaos-kills.ts'

const SEED = 20_261_115

test('200 tasks survive 12 kills of worker, API, PostgreSQL and all at once: none lost, none twice', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-kills-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const report = await runKills({ tasks: 200, kills: 12, seed: SEED, folder, say: line => t.diagnostic(line) })
  t.diagnostic(JSON.stringify(report))
  assert.ok(
    Object.values(report.killed).every(count => count > 0),
    'each of them was killed at least once',
  )
  assert.ok(report.failed <= 4, `${report.failed} tasks were given up`)
})
