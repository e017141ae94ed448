// Keeps one child process (api or worker) running: restarts it whenever it dies, with growing pauses.
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { CannotStart } from '#kit/cannot-start.ts'
import type { Log } from '#kit/log.ts'
import { ownGroup } from '#kit/process/own-group.ts'
import { ownEnvironment } from '#kit/settings.ts'
import { type Report, STOPPING } from './run-process.ts'

export type Part = 'api' | 'worker'

export interface Ready {
  url?: string
  signInUrl?: string
}

export interface SupervisedProcess {
  part: Part
  /** Resolves when the process is ready for the first time; rejects when it cannot start at all. */
  ready: Promise<Ready>
  /** Ends the running process, so that a fresh one takes its place. */
  renew(): void
  /** Tells the process that it will be drained as soon as the others are. */
  announce(): void
  /** Asks the process to drain and waits; true when it exited by itself and in order. */
  drain(): Promise<boolean>
  kill(): void
}

const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 10_000
const HEALTHY_MS = 30_000
/** Time in which a process may fail to come up at the first start, before the whole start is given up. */
const FIRST_START_MS = 6_000
/** The child itself gives up draining a little earlier. */
const DRAIN_MS = 35_000

const main = fileURLToPath(import.meta.resolve('#main.ts'))
/** Node's compile cache: a process starts three times as fast and is 25 MB smaller. */
const compiled = fileURLToPath(new URL('../../.cache/compile', import.meta.url))
/** V8 lets its nursery grow to three times 16 MB while modules load, and keeps it. With 4 MB each nothing was slower. */
const lean = ['--max-semi-space-size=4']

export function superviseProcess(part: Part, log: Log): SupervisedProcess {
  const first = Promise.withResolvers<Ready>()
  const gone = Promise.withResolvers<boolean>()
  const begun = Date.now()
  let child: ChildProcess
  let stopping = false
  let everReady = false
  let lastFailure = ''
  let pauseMs = FIRST_PAUSE_MS
  let timer: NodeJS.Timeout | undefined

  function launch(): void {
    const startedAt = Date.now()
    timer = undefined
    let final = false
    // Own process group: Ctrl+C in a terminal reaches the supervisor alone, which then drains in order.
    const { program, args, ...group } = ownGroup(process.execPath)
    child = spawn(program, [...args, ...process.execArgv, ...lean, main, part], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      detached: group.detached,
      env: { NODE_COMPILE_CACHE: compiled, ...ownEnvironment(), ...group.env },
    })
    child.on('message', (report: Report) => {
      if ('failed' in report) {
        if (report.failed !== lastFailure) log.warn(`${part}: ${report.failed}`)
        lastFailure = report.failed
        final = !report.again
      } else {
        if (everReady) log.info(`the ${part} is ready again`)
        everReady = true
        first.resolve(report)
      }
    })
    const over = (code: number | null, signal: NodeJS.Signals | null): void => {
      if (stopping) {
        // Ended by the signal itself: it had not begun to listen for it, so there was nothing to drain.
        gone.resolve(code === 0 || signal === 'SIGTERM')
        return
      }
      if (!everReady && (final || Date.now() - begun > FIRST_START_MS)) {
        stopping = true
        gone.resolve(false)
        first.reject(new CannotStart(lastFailure || `The ${part} does not start (exit ${code ?? signal})`))
        return
      }
      if (Date.now() - startedAt > HEALTHY_MS) pauseMs = FIRST_PAUSE_MS
      log.warn({ code, signal, pauseMs }, `the ${part} ended; starting it again`)
      timer = setTimeout(launch, pauseMs)
      pauseMs = Math.min(pauseMs * 2, everReady ? LONGEST_PAUSE_MS : 1_000)
    }
    child.once('exit', over)
    child.on('error', error => {
      log.error({ err: error }, `the ${part} could not be started`)
      if (child.pid === undefined) over(null, null) // No process, so no exit either.
    })
  }
  launch()

  return {
    part,
    ready: first.promise,
    announce: () => {
      if (child.connected) child.send(STOPPING, () => {})
    },
    renew: () => void child.kill('SIGTERM'),
    kill: () => void child.kill('SIGKILL'),
    async drain() {
      stopping = true
      if (timer) {
        clearTimeout(timer)
        return true // It was dead and waiting for its next start.
      }
      child.kill('SIGTERM')
      const limit = setTimeout(() => child.kill('SIGKILL'), DRAIN_MS)
      try {
        return await gone.promise
      } finally {
        clearTimeout(limit)
      }
    },
  }
}
