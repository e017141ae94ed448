// An API or a worker as a process of its own, without a supervisor: it dies as it is told and nobody starts it again.
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Report } from '#supervisor/run-process.ts'
import { root } from '../start/keepsake.ts'
import { event, soon } from './until.ts'

export interface Part {
  pid: number
  url: string
  /** Waits for its end: its exit code, or the signal that ended it. */
  exit(): Promise<number | NodeJS.Signals>
  said(): string
  kill(signal: NodeJS.Signals): void
}

const living = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of living) child.kill('SIGKILL')
})

/** Resolves when it is ready, or when it ended before. `project`: whose code it runs. */
export async function startPart(
  part: 'api' | 'worker',
  env: Record<string, string>,
  project: string = root,
): Promise<Part> {
  const child = spawn(process.execPath, [join(project, 'src/main.ts'), part], {
    cwd: env.KEEPSAKE_DATA, // Not the project: a .env there is none of the test's business.
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: join(root, '.cache/compile'), PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  living.add(child)
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-100_000)))
  const { promise: ended, resolve } = Promise.withResolvers<number | NodeJS.Signals>()
  child.once('exit', (code, signal) => {
    living.delete(child)
    resolve((code ?? signal) as number | NodeJS.Signals)
  })
  const ready = event(`the ${part} is ready`, child, 'message').then(([report]) => report as Report)
  const report = await Promise.race([ready, ended.then(() => null)]).catch(error => {
    child.kill('SIGKILL')
    throw new Error(`the ${part} was not ready in time; it said ${said}`, { cause: error })
  })
  ready.catch(() => {})
  if (report && 'failed' in report) throw new Error(`the ${part} did not start: ${report.failed}`)
  return {
    pid: child.pid ?? 0,
    url: report?.url ?? '',
    exit: () => soon(`the ${part} has ended`, ended),
    said: () => said,
    kill: signal => void child.kill(signal),
  }
}
