// The chores of a worker, each at its own pace: recover, reconcile, sweep. Any number of workers may do them side by side.
import { setTimeout as sleep } from 'node:timers/promises'
import { isConnectionError } from '#db/database.ts'
import { countMinutes } from '#db/minutes.ts'
import { BEGIN_SOON_SECONDS, reconcile, recoverAbandoned, recoverForgotten } from '#tasks/recover.ts'
import type { RunServices } from '#tasks/run.ts'
import { sweep } from './sweep.ts'

export interface House {
  stop(): Promise<void>
}

const SECOND = 1_000
/** What a dead worker had asked the database for may still be carried out after its death was noticed. */
const WATCH_MS = 30 * SECOND

/** `runs`: whether this worker has the task in hand. */
export function keepHouse(services: RunServices, runs: (taskId: string) => boolean): House {
  const { log } = services
  const stopped = new AbortController()

  async function every(ms: number, what: string, chore: () => Promise<unknown>): Promise<void> {
    while (!stopped.signal.aborted) {
      await chore().catch(error => {
        if (!isConnectionError(error)) log.error({ err: error }, `${what} failed`)
      })
      await sleep(ms, undefined, { signal: stopped.signal }).catch(() => {})
    }
  }

  let watchUntil = 0
  async function recover(): Promise<void> {
    if (await recoverAbandoned(services)) watchUntil = Date.now() + WATCH_MS
  }
  async function watch(): Promise<void> {
    if (Date.now() < watchUntil) await reconcile(services, BEGIN_SOON_SECONDS)
  }

  const chores = [
    every(SECOND, 'recovering from dead workers', recover),
    every(BEGIN_SOON_SECONDS * SECOND, 'looking for jobs of dead workers', watch),
    every(5 * SECOND, 'looking for forgotten tasks', () => recoverForgotten(services, runs)),
    every(15 * SECOND, 'reconciling', () => reconcile(services)),
    every(20 * SECOND, 'counting', () => countMinutes(services.db)),
    every(60 * SECOND, 'sweeping', () => sweep(services)),
  ]
  return {
    async stop() {
      stopped.abort()
      await Promise.all(chores)
    },
  }
}
