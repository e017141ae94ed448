// Loaded before every test file of a run: whatever a failing test leaves open, the file ends, and its processes end with it.
import { after } from 'node:test'
import '#kit/fast-imports.ts'
import { killAnyway } from './clean-up.ts'
import { commandOf, descendants } from './processes.ts'

/** The hooks of a file that take away what it started come after this one; on a busy machine they take minutes. */
const AFTERWARDS_MS = Number(process.env.KEEPSAKE_TEST_AFTERWARDS_MS ?? 180_000)
/** Counted, not measured: while a hook deletes a large folder in one call, nothing else can end either. */
const TICKS = 100
/** Above the time of the longest file. `--test-timeout` ends a test, but neither a hook nor a file. */
const FILE_MS = Number(process.env.KEEPSAKE_TEST_FILE_MS ?? 40 * 60_000)

function giveUp(why: string): void {
  const open = process.getActiveResourcesInfo().join(', ')
  const children = descendants(process.pid, true).map(pid => `${pid} ${commandOf(pid).slice(0, 200)}`)
  process.stderr.write(`${why} ${process.argv[1]}: open are ${open}; children are ${children.join('; ') || 'none'}\n`)
  process.exit(1)
}

// Processes that are forked from here are given the same arguments; the net is none of their business.
process.execArgv = process.execArgv.filter(argument => !/^--import=.*safety-net/.test(argument))

// Only in the process of a test file, not in those that tests start.
if (process.env.NODE_TEST_CONTEXT) {
  setTimeout(() => giveUp(`${FILE_MS / 1000} s are over for`), FILE_MS).unref()
  after(() => {
    let ticks = 0
    const count = () => {
      if (++ticks === TICKS) giveUp('All tests are over, but something keeps the process of')
    }
    setInterval(count, AFTERWARDS_MS / TICKS).unref()
  })
  process.once('exit', () => {
    for (const pid of descendants(process.pid, true)) killAnyway(pid)
  })
}
