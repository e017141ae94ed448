// Progress on its way to the database: at most twice a second, and never in the way of the work.
import { saveProgress } from '#db/tasks/entry-rows.ts'
import type { Chain } from '../entry/loaded.ts'
import type { Run } from './run.ts'

const EVERY_MS = 500

interface Progress extends AsyncDisposable {
  moved(index: number, fraction: number): void
}

export function progressOf(run: Run, chain: Chain): Progress {
  const latest = new Map<number, number>()
  const highest = new Map<number, number>()
  let timer: NodeJS.Timeout | null = null
  let writing: Promise<void> = Promise.resolve()

  function write(): void {
    timer = null
    const moved = new Map(latest)
    latest.clear()
    writing = saveProgress(run.services.unsynced, run.claim, chain.chain_id, moved).catch(error =>
      run.services.log.debug({ err: error }, 'progress was not saved'),
    )
  }

  return {
    moved(index, fraction) {
      // It never goes back, whatever a step says.
      if (fraction <= (highest.get(index) ?? 0)) return
      highest.set(index, fraction)
      latest.set(index, Math.min(1, fraction))
      timer ??= setTimeout(write, EVERY_MS)
    },
    async [Symbol.asyncDispose]() {
      if (timer) clearTimeout(timer)
      await writing
    },
  }
}
