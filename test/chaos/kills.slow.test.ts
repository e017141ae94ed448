// A deployment under load, disturbed by everything there is: the small form of `npm run chaos`.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { disturbancesFor, lackedBy, names, ROUND } from '../support/chaos/disturb.ts'
import { runChaos } from '../support/chaos/run.ts'
import { tableOf } from '../support/chaos/table.ts'
import { random, seedOf } from '../support/seed.ts'

const KILLS = 30
/** Far above what it takes: a run that does not come to its end says what it still waits for. */
const MINUTES = 8

test('a run has every kind of disturbance, whatever the seed', () => {
  for (let seed = 1; seed <= 200; seed++)
    for (const kills of [names.length, ROUND, KILLS])
      assert.equal(new Set(disturbancesFor(kills, random(seed))).size, names.length, `with the seed ${seed}`)
  assert.equal(disturbancesFor(KILLS, random(1)).length, KILLS)
})

test('500 tasks survive 30 disturbances: none lost, none twice, none condemned', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-storm-'))
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const seed = seedOf(t, 20_261_115)
  const report = await runChaos({
    tasks: 500,
    kills: KILLS,
    seed,
    minutes: MINUTES,
    folder,
    say: line => t.diagnostic(line),
  })
  const table = tableOf(report, seed)
  for (const line of table.split('\n')) t.diagnostic(line)
  assert.deepEqual(
    report.checks.filter(({ complaints }) => complaints.length > 0).map(({ what }) => what),
    [],
    table,
  )
  assert.deepEqual(
    names.filter(name => lackedBy(name).length === 0 && report.disturbed[name] === 0),
    [],
    'each of them came at least once',
  )
})
