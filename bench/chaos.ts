// How much of the work survives random kill -9 of everything? All of it, or this fails: node bench/chaos.ts 10000 300 SEED
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runKills } from '../test/support/chaos-kills.ts'

const [tasks = 500, kills = 30, seed = 1] = process.argv.slice(2).map(Number)
const folder = mkdtempSync(join(tmpdir(), 'keepsake-chaos-'))
try {
  const report = await runKills({ tasks, kills, seed, folder, say: line => console.log(line) })
  console.log(report)
  console.log(`survived: ${((tasks - report.failed) / tasks).toFixed(4)} of the tasks delivered, 0 lost, 0 twice`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
