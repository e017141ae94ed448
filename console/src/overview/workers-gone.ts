// Remembers on which machines workers were seen: one that another worker has replaced is told by nobody else.
import type { Trouble } from '../api/shapes.ts'

const KEPT = 'keepsake-workers'
/** A worker that restarts is back within this time. */
const GONE_AFTER_MS = 60_000
/** One that was taken away on purpose is forgotten after this. */
const FORGOTTEN_MS = 12 * 3_600_000

export interface GoneWorker {
  host: string
  seen_at: string
}

function read(): Record<string, string> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEPT) ?? '{}')
    return typeof stored === 'object' && stored !== null ? (stored as Record<string, string>) : {}
  } catch {
    return {}
  }
}

/** Notes who is there now. */
export function rememberWorkers({ workers }: Trouble, now = Date.now()): void {
  if (!workers) return
  const alive = Object.fromEntries(workers.alive.map(({ host }) => [host, new Date(now).toISOString()]))
  const kept = Object.entries({ ...read(), ...alive }).filter(([, at]) => now - new Date(at).getTime() < FORGOTTEN_MS)
  try {
    localStorage.setItem(KEPT, JSON.stringify(Object.fromEntries(kept)))
  } catch {
    // Then only those are told that the service knows.
  }
}

/** Machines that had a worker and have none. Where none is left at all, that is what is said. */
export function goneWorkers({ workers }: Trouble, now = Date.now()): GoneWorker[] {
  if (!workers || workers.alive.length === 0) return []
  const known = new Set([...workers.alive, ...workers.silent].map(({ host }) => host))
  return Object.entries(read())
    .filter(([host, at]) => !known.has(host) && now - new Date(at).getTime() > GONE_AFTER_MS)
    .map(([host, seen_at]) => ({ host, seen_at }))
}
