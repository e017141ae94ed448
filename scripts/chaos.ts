// Everything that can die, stop, hang, be cut off or fill up, under load: npm run chaos -- --tasks 10000 --kills 300 [--seed N] [--minutes N] [--only NAME,NAME] [--write]

import { randomInt } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Disturbance, names } from '../test/support/chaos/disturb.ts'
import { type ChaosReport, runChaos } from '../test/support/chaos/run.ts'
import { tableOf } from '../test/support/chaos/table.ts'

const { values } = parseArgs({
  options: {
    tasks: { type: 'string', default: '500' },
    kills: { type: 'string', default: '30' },
    seed: { type: 'string', default: String(randomInt(1, 2 ** 31)) },
    minutes: { type: 'string' },
    write: { type: 'boolean', default: false },
    only: { type: 'string', default: names.join() },
  },
})
const [tasks, kills, seed] = [values.tasks, values.kills, values.seed].map(Number) as [number, number, number]
/** Twice what an idle machine of two cores takes. */
const minutes = Number(values.minutes ?? Math.ceil(5 + tasks / 150 + kills / 5))
for (const [name, value] of Object.entries({ tasks, kills, seed, minutes }))
  if (!(Number.isSafeInteger(value) && value > 0)) {
    console.error(`--${name} must be a whole number above 0`)
    process.exit(2)
  }

const only = values.only.split(',') as Disturbance[]
if (!only.every(name => names.includes(name))) {
  console.error(`--only takes a comma list of ${names.join(', ')}`)
  process.exit(2)
}

const folder = mkdtempSync(join(tmpdir(), 'keepsake-storm-'))
console.log(
  `seed ${seed}: ${tasks} tasks, ${kills} disturbances, at most ${minutes} minutes on ${availableParallelism()} cores`,
)
// Whatever hangs, this ends: what it has started ends with the process.
setTimeout(() => giveUp('the time is up, and it does not come to an end'), (minutes + 10) * 60_000).unref()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => giveUp(`ended by ${signal}`))

let report: ChaosReport | undefined
try {
  report = await runChaos({ tasks, kills, seed, minutes, only, folder, say: line => console.log(line) })
  console.log(`\n${tableOf(report, seed)}`)
} catch (error) {
  console.error(error)
}
const failed = report ? report.checks.filter(({ complaints }) => complaints.length > 0) : null
if (report && failed?.length === 0 && values.write) writePage(tableOf(report, seed))
if (failed?.length === 0) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
else console.log(`\nWhat the machines said is in ${folder}`)
console.log(`\n${report ? report.checks.length - (failed?.length ?? 0) : 0} passed, ${failed?.length ?? 1} failed`)
process.exit(failed?.length === 0 ? 0 : 1)

function writePage(table: string): void {
  const page = new URL('../docs/reliability.md', import.meta.url)
  const around = /(?<=<!-- run -->\n)[\s\S]*(?=<!-- end of run -->)/
  writeFileSync(
    page,
    readFileSync(page, 'utf8').replace(around, () => `${table}\n`),
  )
}

function giveUp(why: string): void {
  console.error(why)
  process.exit(1)
}
