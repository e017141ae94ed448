// Writes progress to the database at most twice a second. The work does not wait for it.
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
    writing = saveProgress(run.services.db, run.claim, chain.chain_id, moved).catch(error =>
      run.services.log.debug({ err: error }, 'progress was not saved'),
    )
  }

  return {
    moved(index, fraction) {
      // Progress never goes back, even if a step reports less.
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
