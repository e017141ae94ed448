// Processes that the benchmark starts: ready before they are used, started again when they die, ended by their ids whatever happens.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** As an init does it. */
const AGAIN_AFTER_MS = 1_000
const READY_MS = 60_000
const STOP_MS = 10_000

const living = new Map<number, NodeJS.Signals>()

/** `last`: what ends it when this process ends without having stopped it. */
export function endWithUs(pid: number, last: NodeJS.Signals = 'SIGKILL'): { stopped(): void } {
  living.set(pid, last)
  return { stopped: () => void living.delete(pid) }
}

process.once('exit', () => {
  for (const [pid, last] of living) signal(pid, last)
})
for (const [name, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)
  process.once(name, () => process.exit(code))

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // Gone already.
  }
}

export interface Command {
  program: string
  args: string[]
  /** Where all that it says goes. */
  log: string
  env?: Record<string, string>
  isReady(said: string): boolean | Promise<boolean>
}

export interface Kept {
  pid(): number
  /** `kill -9`; resolves when it is ready again. */
  kill(): Promise<void>
  stop(): Promise<void>
}

export async function keep(command: Command): Promise<Kept> {
  let stopping = false
  let child: ChildProcess
  let ready: Promise<void>

  function launch(): Promise<void> {
    const log = openSync(command.log, 'a')
    const said = readFileSync(command.log).length
    // In a session of its own, as an init gives it one.
    child = spawn(command.program, command.args, {
      env: { PATH: process.env.PATH ?? '', ...command.env },
      stdio: ['ignore', log, log],
      detached: true,
    })
    closeSync(log)
    const own = child
    const known = endWithUs(own.pid ?? 0)
    own.once('error', () => {})
    own.once('exit', () => {
      known.stopped()
      if (stopping) return
      ready = sleep(AGAIN_AFTER_MS).then(() => (stopping ? undefined : launch()))
      ready.catch(() => {})
    })
    return comesUp(own, said)
  }

  async function comesUp(own: ChildProcess, from: number): Promise<void> {
    const said = (): string => readFileSync(command.log).subarray(from).toString()
    const end = Date.now() + READY_MS
    while (!(await command.isReady(said()))) {
      if (own.exitCode !== null || own.signalCode !== null || own.pid === undefined || Date.now() > end)
        throw new Error(`${command.program} ${command.args[0]} did not start: ${said().slice(-2_000)}`)
      await sleep(20)
    }
  }

  ready = launch()
  await ready
  return {
    pid: () => child.pid ?? 0,
    async kill() {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
      await ready
    },
    async stop() {
      stopping = true
      await ready.catch(() => {})
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      const limit = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
      child.kill('SIGTERM')
      await gone
      clearTimeout(limit)
    },
  }
}
