// A whole Keepsake as its own process tree, started as an operator starts it, and cleared away after the test.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { processesIn } from '#postgres/postmaster.ts'
import { cleanUp, killAnyway } from '../support/clean-up.ts'
import { commandOf, descendants } from '../support/processes.ts'
import { event, soon, until } from '../support/until.ts'

export const root = fileURLToPath(new URL('../../', import.meta.url))
export const isRoot = process.getuid?.() === 0

export interface Started {
  pid: number
  /** Everything it said so far. */
  said(): string
  /** Its address, once it says that it is ready. */
  ready(): Promise<string>
  /** Waits for its end: its exit code, or the signal that ended it. */
  exit(): Promise<number | NodeJS.Signals>
  kill(signal: NodeJS.Signals): void
}

interface Options {
  data: string
  env?: Record<string, string>
  args?: string[]
  uid?: number
  gid?: number
  project?: string
  /** What is run, and the Node that runs it, in place of this checkout. */
  program?: readonly [node: string, script: string]
  /** A file descriptor in place of a pipe; then only stderr is among what it said. */
  stdout?: number
}

const running = new WeakMap<TestContext, ChildProcess[]>()

/** A folder for one test; whatever still works in it afterwards is ended, in order. */
export function testFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-start-'))
  if (!running.has(t)) running.set(t, [])
  t.after(() =>
    cleanUp(
      () => Promise.all((running.get(t) ?? []).map(end)),
      ...['SIGQUIT', 'SIGKILL'].map(signal => () => endDatabases(folder, signal as NodeJS.Signals)),
      () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
    ),
  )
  return folder
}

async function endDatabases(folder: string, signal: NodeJS.Signals): Promise<void> {
  const clusters = readdirSync(folder)
    .map(name => join(folder, name, 'postgres'))
    .filter(existsSync)
  const left = () => clusters.flatMap(processesIn)
  for (const pid of left()) killAnyway(pid, signal)
  await until('the database has ended', () => left().length === 0)
}

export function start(t: TestContext, options: Options): Started {
  const { data, env = {}, args = [], project = root, stdout, program, ...user } = options
  const [node, script] = program ?? [process.execPath, join(project, 'src/main.ts')]
  const child = spawn(node, [script, ...args], {
    ...user,
    cwd: join(data, '..'), // Not the project: a .env there is none of the test's business.
    env: {
      NODE_COMPILE_CACHE: join(root, '.cache/compile'),
      PATH: process.env.PATH,
      HOME: join(data, '..'),
      KEEPSAKE_DATA: data,
      PORT: '0',
      ...env,
    },
    stdio: ['ignore', stdout ?? 'pipe', 'pipe'],
  })
  let said = ''
  for (const pipe of [child.stdout, child.stderr]) pipe?.setEncoding('utf8').on('data', text => (said += text))
  // 'close', not 'exit': only then all it said has arrived. Children that outlive it may hold the pipes a while.
  const closed = new Promise(resolve => child.once('close', resolve))
  const ended = new Promise<number | NodeJS.Signals>(resolve =>
    child.once('exit', async (code, signal) => {
      await Promise.race([closed, sleep(5_000, undefined, { ref: false })])
      child.stdout?.destroy()
      child.stderr?.destroy()
      resolve((code ?? signal) as number | NodeJS.Signals)
    }),
  )
  const siblings = running.get(t)
  if (siblings) siblings.push(child)
  else t.after(() => end(child))
  return {
    pid: child.pid ?? 0,
    said: () => said,
    exit: () => soon('Keepsake has ended', ended),
    kill: signal => void child.kill(signal),
    async ready() {
      await until('Keepsake is ready', () => {
        const { exitCode, signalCode } = child
        if (exitCode !== null || signalCode !== null)
          throw new Error(`it ended with ${exitCode ?? signalCode}: ${said}`)
        return said.includes('Keepsake is ready')
      }).catch(error => {
        throw new Error(`${error.message}; it said ${said}`)
      })
      return /Console\s+(\S+)/.exec(said)?.[1] ?? ''
    },
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await event('it has stopped as it was told to', child, 'exit').catch(() => {
    for (const pid of [child.pid ?? 0, ...descendants(child.pid ?? 0)]) killAnyway(pid)
  })
}

/** The api or the worker of a supervisor. */
export const part = (supervisor: number, name: 'api' | 'worker'): number | undefined =>
  descendants(supervisor).find(
    pid => commandOf(pid).endsWith(`keepsake ${name}`) || commandOf(pid).endsWith(`main.ts ${name}`),
  )

/** A page that is asked for the first time takes seconds on a busy machine. */
const ANSWER_MS = 60_000

/** The status; 0: nobody answers. */
export async function answers(url: string, path: string): Promise<number> {
  try {
    const response = await fetch(new URL(path, url), { signal: AbortSignal.timeout(ANSWER_MS) })
    await response.arrayBuffer()
    return response.status
  } catch {
    return 0
  }
}
