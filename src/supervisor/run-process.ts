// Runs the API or the worker as a separate process: tells its parent when it is ready, drains once when asked to stop.
import { CannotStart } from '#kit/cannot-start.ts'
import { BadSetting } from '#kit/settings.ts'
import { onStopSignal } from './stop-signal.ts'

export interface Running {
  url?: string
  signInUrl?: string
  /** Where a worker answers probes, if it does. */
  healthUrl?: string
  /** Settles when the process cannot go on and only a fresh one can. It has said why. */
  broken?: Promise<void>
  /** Called before a drain: from now on the process takes no new work and says so. */
  refuse?(): void
  /** Stops taking work, finishes or hands back what runs, releases everything. */
  drain(): Promise<void>
}

/** What a process tells the supervisor. */
export type Report = { ready: true; url?: string; signInUrl?: string } | { failed: string; again: boolean }

/** What the supervisor tells a process. */
export const STOPPING = 'stopping'

const DRAIN_MS = 30_000

export async function runProcess(name: string, start: () => Promise<Running>): Promise<void> {
  process.title = `keepsake ${name}`
  const stop = Promise.withResolvers<void>()
  onStopSignal(stop.resolve, () => process.exit(1))
  // The supervisor is gone, however it ended: do not live on without it.
  process.once('disconnect', stop.resolve)
  const starting = start()
  // A drain or a start that hangs is cut off. Others then take over its work as after a crash.
  stop.promise.then(() => setTimeout(() => process.exit(1), DRAIN_MS).unref())
  const running = await starting.catch(fail)
  process.on('message', told => {
    if (told === STOPPING) running.refuse?.()
  })
  // Nothing can be handed back in order: others take over the work as after a crash.
  running.broken?.then(() => process.exit(1))
  report({
    ready: true,
    ...(running.url === undefined ? {} : { url: running.url }),
    ...(running.signInUrl === undefined ? {} : { signInUrl: running.signInUrl }),
  })
  await stop.promise
  await running.drain()
  process.exit(0)
}

/** With a parent, sends the reason there, once; without one, the command line prints it. */
async function fail(error: unknown): Promise<never> {
  const known = inWords(error)
  if (!known) throw error
  if (!process.send) throw new CannotStart(known.failed)
  await new Promise<void>(resolve => process.send?.(known, undefined, undefined, () => resolve()))
  process.exit(1)
}

/** `setting`: which one named the port; PORT where none is told. */
type ListenError = NodeJS.ErrnoException & { address?: string; port?: number; setting?: string }

function inWords(error: unknown): { failed: string; again: boolean } | null {
  if (error instanceof BadSetting || error instanceof CannotStart) return { failed: error.message, again: false }
  const { code, address, port, setting = 'PORT' } = error as ListenError
  // Try again: a killed supervisor's API may hold the port and still be draining.
  if (code === 'EADDRINUSE')
    return { failed: `${setting} ${port} on ${address} is taken by another program`, again: true }
  if (code === 'EACCES' && port !== undefined)
    return { failed: `${setting} ${port} may not be used by this user; take one above 1023`, again: false }
  if (code === 'EADDRNOTAVAIL') return { failed: `HOST ${address} is not an address of this machine`, again: false }
  return null
}

function report(message: Report): void {
  process.send?.(message)
}
