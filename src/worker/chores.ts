// Runs the chores of a worker, each at its own pace: recover, reconcile, erase, count, sweep. Shared rows and files are swept by one worker at a time.
import { setTimeout as sleep } from 'node:timers/promises'
import { isConnectionError } from '#db/away.ts'
import { unlessAnother } from '#db/one-at-a-time.ts'
import { withLongTimeout } from '#db/pace.ts'
import { countMinutes } from '#db/tasks/minutes.ts'
import { carryOnAll } from '#erasures/erasures.ts'
import type { RunServices } from '#tasks/entry/loaded.ts'
import { newReconciler, newUnrunTaskReturn, recoverAbandoned, type Suspects } from '#tasks/steer/recover.ts'
import { sweep, sweepFolders } from './sweep.ts'

interface Chores {
  stop(): Promise<void>
}

const SECOND = 1_000

const SWEEP_LOCK = 0x73776565 // 'swee'

/** `runs`: whether this worker has the task in hand. */
export function startChores(services: RunServices, runs: (taskId: string) => boolean): Chores {
  const { log } = services
  const stopped = new AbortController()
  const { signal } = stopped

  async function every(ms: number, what: string, chore: () => Promise<unknown>): Promise<void> {
    while (!signal.aborted) {
      await chore().catch(error => {
        if (!isConnectionError(error)) log.error({ err: error }, `${what} failed`)
      })
      await sleep(ms, undefined, { signal }).catch(() => {})
    }
  }

  const suspects: Suspects = new Map()
  const chores = [
    every(SECOND, 'recovering from dead workers', () => recoverAbandoned(services, suspects)),
    every(5 * SECOND, 'looking for forgotten tasks', newUnrunTaskReturn(services, runs)),
    every(15 * SECOND, 'reconciling', newReconciler(services)),
    every(2 * SECOND, 'erasing', () => carryOnAll(services, signal)),
    every(20 * SECOND, 'counting', () => withLongTimeout(() => countMinutes(services.db))),
    every(60 * SECOND, 'sweeping', () => unlessAnother(services.db, SWEEP_LOCK, () => sweep(services, { signal }))),
    every(60 * SECOND, 'sweeping folders', () => sweepFolders(services, signal)),
  ]
  return {
    async stop() {
      stopped.abort()
      await Promise.all(chores)
    },
  }
}
