// A whole Keepsake as its own process tree, started as an operator starts it, and cleared away after the test.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { processesIn } from '#db/postmaster.ts'

export const root = fileURLToPath(new URL('../../', import.meta.url))
export const isRoot = process.getuid?.() === 0

export interface Started {
  pid: number
  /** Everything it said so far. */
  said(): string
  /** Its address, once it says that it is ready. */
  ready(): Promise<string>
  exit: Promise<number | NodeJS.Signals>
  kill(signal: NodeJS.Signals): void
}

interface Options {
  data: string
  env?: Record<string, string>
  args?: string[]
  uid?: number
  gid?: number
  project?: string
}

const running = new WeakMap<TestContext, ChildProcess[]>()

/** A folder for one test; whatever still works in it afterwards is ended, in order. */
export function testFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-start-'))
  if (!running.has(t)) running.set(t, [])
  t.after(async () => {
    await Promise.all((running.get(t) ?? []).map(end))
    for (const name of readdirSync(folder)) {
      const cluster = join(folder, name, 'postgres')
      if (!existsSync(cluster)) continue
      for (const pid of processesIn(cluster)) killAnyway(pid, 'SIGQUIT')
      await until(() => processesIn(cluster).length === 0, 'the database has ended')
    }
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}

export function start(t: TestContext, options: Options): Started {
  const { data, env = {}, args = [], project = root, ...user } = options
  const child = spawn(process.execPath, [join(project, 'src/main.ts'), ...args], {
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
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', text => (said += text))
  child.stderr.setEncoding('utf8').on('data', text => (said += text))
  // 'close', not 'exit': only then all it said has arrived. Children that outlive it may hold the pipes a while.
  const exit = once(child, 'exit').then(async ([code, signal]) => {
    await Promise.race([once(child, 'close'), sleep(500, undefined, { ref: false })])
    child.stdout.destroy()
    child.stderr.destroy()
    return (code ?? signal) as number | NodeJS.Signals
  })
  running.get(t)?.push(child)
  return {
    pid: child.pid ?? 0,
    said: () => said,
    exit,
    kill: signal => void child.kill(signal),
    async ready() {
      const over = exit.then(code => Promise.reject(new Error(`it ended with ${code}: ${said}`)))
      over.catch(() => {})
      await Promise.race([until(() => said.includes('Keepsake is ready'), `it is ready; it said ${said}`), over])
      return /Console\s+(\S+)/.exec(said)?.[1] ?? ''
    },
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  const gone = await Promise.race([once(child, 'exit').then(() => true), sleep(20_000, false, { ref: false })])
  if (!gone) for (const pid of [child.pid ?? 0, ...descendants(child.pid ?? 0)]) killAnyway(pid)
}

export function killAnyway(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, signal)
  } catch {
    // Gone already.
  }
}

/** Children, grandchildren and so on, without PostgreSQL's. */
export function descendants(pid: number): number[] {
  const children = processes().filter(entry => entry.parent === pid)
  return children.flatMap(child => (child.name === 'postgres' ? [] : [child.pid, ...descendants(child.pid)]))
}

/** The api or the worker of a supervisor. */
export const part = (supervisor: number, name: 'api' | 'worker'): number | undefined =>
  descendants(supervisor).find(
    pid => commandOf(pid).endsWith(`keepsake ${name}`) || commandOf(pid).endsWith(`main.ts ${name}`),
  )

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
  } catch {
    return ''
  }
}

function processes(): { pid: number; parent: number; name: string }[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(name => {
      try {
        const [, comm = '', rest = ''] = /\((.*)\) (.*)/s.exec(readFileSync(`/proc/${name}/stat`, 'utf8')) ?? []
        const [state, parent] = rest.split(' ')
        return state === 'Z' ? [] : [{ pid: Number(name), parent: Number(parent), name: comm }]
      } catch {
        return []
      }
    })
}

/** Waits for what can only be looked at, such as other processes. */
export async function until(done: () => boolean | Promise<boolean>, what: string, timeoutMs = 30_000): Promise<void> {
  const limit = Date.now() + timeoutMs
  while (!(await done())) {
    if (Date.now() > limit) throw new Error(`waited ${timeoutMs / 1000} s in vain until ${what}`)
    await sleep(50)
  }
}

export async function answers(url: string, path: string): Promise<number> {
  try {
    const response = await fetch(new URL(path, url), { signal: AbortSignal.timeout(5_000) })
    await response.arrayBuffer()
    return response.status
  } catch {
    return 0
  }
}
