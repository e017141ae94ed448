// Tells whoever asks that a task changed, as the database tells us.
import { CHANGE_CHANNEL } from '#db/changes.ts'
import { listen } from '#db/listen.ts'
import type { Log } from '#kit/log.ts'

export interface Changes {
  /** `wake` is called after every change of the task, and whenever one may have been missed. */
  watch(taskId: string, wake: () => void): Disposable
  /** `wake` gets the id of every task that changes; null when some may have been missed. */
  watchAll(wake: (taskId: string | null) => void): Disposable
  close(): Promise<void>
}

export async function listenForChanges(databaseUrl: string, log: Log): Promise<Changes> {
  const watchers = new Map<string, Set<() => void>>()
  const all = new Set<(taskId: string | null) => void>()
  const listener = await listen(
    databaseUrl,
    {
      [CHANGE_CHANNEL](taskId) {
        for (const wake of watchers.get(taskId) ?? []) wake()
        for (const wake of all) wake(taskId)
      },
    },
    log,
    () => {
      for (const set of watchers.values()) for (const wake of set) wake()
      for (const wake of all) wake(null)
    },
  )
  return {
    watch(taskId, wake) {
      const set = watchers.get(taskId) ?? new Set()
      watchers.set(taskId, set.add(wake))
      return {
        [Symbol.dispose]() {
          set.delete(wake)
          if (set.size === 0 && watchers.get(taskId) === set) watchers.delete(taskId)
        },
      }
    },
    watchAll(wake) {
      all.add(wake)
      return { [Symbol.dispose]: () => void all.delete(wake) }
    },
    close: () => listener.close(),
  }
}
