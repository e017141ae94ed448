// Runs the tests. `npm test`: lint, types and every file but the slow ones; `slow`: those; `all`: both. Folders, jobs or files narrow it down.
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from 'node:test'
import { parseArgs } from 'node:util'
import { noteRun, testFiles } from './release/tested.mjs'
import { cache, fail, root } from './setup/run.mjs'

/** The slow files in parts of about ten minutes on two cores; folders that stand in none are in the last one. */
const jobs = {
  chaos: ['chaos'],
  console: ['console'],
  outside: ['start', 'upgrade', 'clients', 'docs', 'openapi'],
  inside: [],
}
const AT_ONCE = Math.max(2, 2 * Math.min(availableParallelism(), 4))
const TEST_MS = 600_000
const ROOM_BYTES = 3 * 2 ** 30
const SLOWEST = 10

const { values, positionals } = parseArgs({ allowPositionals: true, options: { table: { type: 'boolean' } } })
const tiers = ['slow', 'all']
const tier = tiers.includes(positionals[0] ?? '') ? positionals.shift() : 'fast'

const all = testFiles()
const isSlow = file => file.endsWith('.slow.test.ts')
const folderOf = file => file.split('/').slice(1, -1)[0] ?? 'test'
const jobOf = folder => Object.keys(jobs).find(job => jobs[job].includes(folder)) ?? 'inside'
const isNamed = file => positionals.some(name => [file, folderOf(file), jobOf(folderOf(file))].includes(name))

/** Of each file, from its last run: how many tests it has and how long they took. */
const timesFile = join(cache, 'test-times.json')
function readTimes() {
  try {
    return JSON.parse(readFileSync(timesFile, 'utf8'))
  } catch {
    return {}
  }
}

function printTable() {
  const times = readTimes()
  const rows = Object.entries(Object.groupBy(all, file => `${isSlow(file) ? 'slow' : 'npm test'} ${folderOf(file)}`))
  console.log('| run by | job | folder | files | tests | seconds |\n|---|---|---|---|---|---|')
  for (const [name, files] of rows.sort()) {
    const sum = of => files.reduce((total, file) => total + (times[file]?.[of] ?? 0), 0)
    const folder = name.split(' ').at(-1)
    const by = name.startsWith('slow') ? ['npm run test:slow', jobOf(folder)] : ['npm test', '']
    const known = files.some(file => times[file])
    console.log(
      `| ${by.join(' | ')} | ${folder} | ${files.length} | ${known ? `${sum('tests')} | ${Math.round(sum('ms') / 1000)}` : ' | '} |`,
    )
  }
}

const child = (program, ...args) =>
  new Promise(done => spawn(program, args, { cwd: root, stdio: 'inherit' }).once('exit', code => done(code === 0)))

/** Runs these files; answers the summary of each. */
async function runFiles(files, { concurrency, signal, reporter }) {
  const summaries = new Map()
  const events = run({
    files: files.map(file => join(root, file)),
    cwd: root,
    concurrency,
    signal,
    timeout: TEST_MS,
    execArgv: [`--import=${new URL('../test/support/safety-net.ts', import.meta.url)}`],
  })
  events.on('test:summary', ({ file, ...summary }) => file && summaries.set(file.slice(root.length + 1), summary))
  if (reporter) for await (const text of events.compose(reporter)) process.stdout.write(text)
  else for await (const _ of events);
  return summaries
}

/** Seconds of processor time of this process and of all that have ended below it. */
function processorSeconds() {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? []
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100
  } catch {
    return null
  }
}

async function test() {
  const begun = Date.now()
  const files = all.filter(
    file =>
      (positionals.includes(file) || tier === 'all' || isSlow(file) === (tier === 'slow')) &&
      (positionals.length === 0 || isNamed(file)),
  )
  if (files.length === 0) fail(`No test file is meant by "${positionals.join(' ')}".`)
  const { bavail, bsize } = statfsSync(tmpdir())
  if (bavail * bsize < ROOM_BYTES)
    fail(`The tests need 3 GiB of room in ${tmpdir()}. Make room, or name another folder in TMPDIR.`)
  const whole = tier !== 'slow' && positionals.length === 0
  if (
    whole &&
    !(await Promise.all(['lint', 'types'].map(name => child('npm', 'run', '--silent', name)))).every(Boolean)
  )
    process.exit(1)

  const { globalSetup, globalTeardown } = await import('../test/support/global.ts')
  const { default: reporter } = await import('../test/support/reporter.ts')
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(name, () => stop.abort())
  let red = []
  let summaries = new Map()
  try {
    await globalSetup()
    summaries = await runFiles(files, { concurrency: AT_ONCE, signal: stop.signal, reporter })
    red = files.filter(file => !summaries.get(file)?.success)
    for (const file of stop.signal.aborted ? [] : red) {
      const again = await runFiles([file], { concurrency: 1, signal: stop.signal })
      console.log(`${again.get(file)?.success ? 'depends on load' : 'broken'}: ${file}`)
    }
  } finally {
    await globalTeardown()
  }
  if (stop.signal.aborted) process.exit(130)
  noteRun(files, red)
  report(begun, summaries)
  process.exit(red.length === 0 ? 0 : 1)
}

function report(begun, summaries) {
  const times = readTimes()
  for (const [file, { counts, duration_ms }] of summaries)
    times[file] = { tests: counts.tests, ms: Math.round(duration_ms) }
  mkdirSync(cache, { recursive: true })
  writeFileSync(timesFile, JSON.stringify(times))
  const slowest = [...summaries].sort(([, a], [, b]) => b.duration_ms - a.duration_ms).slice(0, SLOWEST)
  console.log('\nThe slowest files, in seconds:')
  for (const [file, { duration_ms }] of slowest) console.log(`${(duration_ms / 1000).toFixed(1).padStart(7)}  ${file}`)
  const seconds = (Date.now() - begun) / 1000
  const minutes = amount => `${Math.floor(amount / 60)} min ${Math.round(amount % 60)} s`
  const processor = processorSeconds()
  console.log(`\n${minutes(seconds)}${processor === null ? '' : `, ${minutes(processor)} of processor time`}`)
  const sum = of => [...summaries.values()].reduce((total, { counts }) => total + counts[of], 0)
  console.log(`${sum('passed')} passed, ${sum('failed') + sum('cancelled')} failed, ${sum('skipped')} skipped`)
}

if (values.table) printTable()
else await test()
