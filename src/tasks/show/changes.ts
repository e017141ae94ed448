// Wakes watchers when a task changes: the database notifies this process.

import { type Listener, listen } from '#db/listen.ts'
import { CHANGE_CHANNEL, WALL_CHANNEL } from '#db/notify.ts'
import type { Log } from '#kit/log.ts'

export interface Changes {
  /** Calls `wake` after every change of the task, and whenever a change may have been missed. */
  watch(taskId: string, wake: () => void): Disposable
  /** Calls `wake` with the id of every task that changes; with null when changes may have been missed. */
  watchAll(wake: (taskId: string | null) => void): Disposable
  /** Calls `wake` with the id of every experience whose walls may have lost something; with null for all of them. */
  watchWalls(wake: (experienceId: string | null) => void): Disposable
  close(): Promise<void>
}

/** How long it keeps listening after the last watcher has gone. */
const REST_MS = 30_000

/** Listens only while somebody watches: each change of each task costs the database and this process a wake-up. */
export function newChanges(databaseUrl: string, log: Log, restMs = REST_MS): Changes {
  const watchers = new Map<string, Set<() => void>>()
  const all = new Set<(taskId: string | null) => void>()
  const walls = new Set<(experienceId: string | null) => void>()
  let listener: Promise<Listener> | null = null
  let resting: NodeJS.Timeout | undefined

  function told(taskId: string): void {
    for (const wake of watchers.get(taskId) ?? []) wake()
    for (const wake of all) wake(taskId)
  }

  /** Also called once the listener is connected: changes before that were missed. */
  function missed(): void {
    for (const set of watchers.values()) for (const wake of set) wake()
    for (const wake of all) wake(null)
    toldWalls('')
  }

  function toldWalls(experienceId: string): void {
    for (const wake of walls) wake(experienceId || null)
  }

  function attend(): void {
    clearTimeout(resting)
    listener ??= listen(databaseUrl, { [CHANGE_CHANNEL]: told, [WALL_CHANNEL]: toldWalls }, log, missed)
  }

  async function stop(): Promise<void> {
    clearTimeout(resting)
    const last = listener
    listener = null
    await (await last)?.close()
  }

  function rest(): void {
    if (watchers.size > 0 || all.size > 0 || walls.size > 0) return
    clearTimeout(resting)
    resting = setTimeout(() => {
      stop().catch(error => log.debug({ err: error }, 'the listening connection did not end well'))
    }, restMs).unref()
  }

  return {
    watch(taskId, wake) {
      attend()
      const set = watchers.get(taskId) ?? new Set()
      watchers.set(taskId, set.add(wake))
      return {
        [Symbol.dispose]() {
          set.delete(wake)
          if (set.size === 0 && watchers.get(taskId) === set) watchers.delete(taskId)
          rest()
        },
      }
    },
    watchAll(wake) {
      attend()
      all.add(wake)
      return {
        [Symbol.dispose]() {
          all.delete(wake)
          rest()
        },
      }
    },
    watchWalls(wake) {
      attend()
      walls.add(wake)
      return {
        [Symbol.dispose]() {
          walls.delete(wake)
          rest()
        },
      }
    },
    close: stop,
  }
}
