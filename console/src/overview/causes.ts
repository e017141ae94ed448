// Trouble as a list of causes, each with a name of its own, so that alarms ring once and what was put aside stays so.
import { useSyncExternalStore } from 'react'
import type { Trouble } from '../api/shapes.ts'
import { type GoneWorker, goneWorkers } from './workers-gone.ts'

export type Cause =
  | { sort: 'failed'; key: string; at: string; of: Trouble['failed'][number] }
  | { sort: 'retrying'; key: string; at: null; of: Trouble['retrying'][number] }
  | { sort: 'given-up'; key: string; at: string; of: Trouble['given_up'][number] }
  | { sort: 'receiver'; key: string; at: null; of: Trouble['receivers'][number] }
  | { sort: 'no-worker'; key: string; at: null; of: { waiting: number } }
  | { sort: 'silent-worker'; key: string; at: null; of: NonNullable<Trouble['workers']>['silent'][number] }
  | { sort: 'gone-worker'; key: string; at: string; of: GoneWorker }
  | { sort: 'lacking-worker'; key: string; at: null; of: NonNullable<Trouble['workers']>['alive'][number] }
  | { sort: 'failing'; key: string; at: string; of: Trouble['failing'][number] }
  | { sort: 'stalled'; key: string; at: null; of: Trouble['stalled'][number] }
  | { sort: 'shared'; key: string; at: null; of: Trouble['shared_lookups'][number] }
  | { sort: 'disk'; key: string; at: null; of: NonNullable<Trouble['disk']> }

const keyOf = (...parts: (string | boolean)[]): string => JSON.stringify(parts)

/** The machines first, since all else follows from them. */
export function causesOf(trouble: Trouble): Cause[] {
  const { workers, disk } = trouble
  const none = workers !== null && workers.alive.length === 0
  const causes: Cause[] = []
  if (none) causes.push({ sort: 'no-worker', key: 'no-worker', at: null, of: { waiting: trouble.waiting } })
  for (const of of workers?.silent ?? [])
    causes.push({ sort: 'silent-worker', key: keyOf('silent', of.worker_id), at: null, of })
  for (const of of goneWorkers(trouble))
    causes.push({ sort: 'gone-worker', key: keyOf('gone', of.host), at: of.seen_at, of })
  for (const of of workers?.alive ?? [])
    if (of.off.length > 0) causes.push({ sort: 'lacking-worker', key: keyOf('lacking', of.worker_id), at: null, of })
  if (disk?.low) causes.push({ sort: 'disk', key: 'disk', at: null, of: disk })
  if (!none) for (const of of trouble.stalled) causes.push({ sort: 'stalled', key: keyOf('stalled', of), at: null, of })
  for (const of of trouble.failing)
    causes.push({ sort: 'failing', key: keyOf('failing', of.adapter_name, of.error_code), at: of.last_at, of })
  for (const of of trouble.retrying)
    causes.push({
      sort: 'retrying',
      key: keyOf('retrying', of.configuration, of.error_code, of.is_group),
      at: null,
      of,
    })
  for (const of of trouble.failed)
    causes.push({
      sort: 'failed',
      key: keyOf('failed', of.configuration, of.error_code, of.is_group),
      at: of.last_at,
      of,
    })
  for (const of of trouble.given_up)
    causes.push({ sort: 'given-up', key: keyOf('given-up', of.receiver), at: of.last_at, of })
  for (const of of trouble.receivers)
    causes.push({ sort: 'receiver', key: keyOf('receiver', of.receiver), at: null, of })
  for (const of of trouble.shared_lookups ?? [])
    causes.push({ sort: 'shared', key: keyOf('shared', ...of.profiles.map(each => each.profile_id)), at: null, of })
  return causes
}

/** What somebody has seen and put aside, by cause: until something newer happens. */
const ASIDE = 'keepsake-put-aside'
const MOST = 200
const listeners = new Set<() => void>()
let aside: Record<string, string> = read()

function read(): Record<string, string> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(ASIDE) ?? '{}')
    return typeof stored === 'object' && stored !== null ? (stored as Record<string, string>) : {}
  } catch {
    return {}
  }
}

function write(next: Record<string, string>): void {
  aside = Object.fromEntries(Object.entries(next).slice(-MOST))
  try {
    localStorage.setItem(ASIDE, JSON.stringify(aside))
  } catch {
    // A browser that keeps nothing still puts aside until the page is closed.
  }
  for (const tell of listeners) tell()
}

export const putAside = (cause: Cause): void => {
  if (cause.at !== null) write({ ...aside, [cause.key]: cause.at })
}
export const showAgain = (): void => write({})

export const isAside = (cause: Cause, kept: Record<string, string>): boolean =>
  cause.at !== null && (kept[cause.key] ?? '') >= cause.at

export const useAside = (): Record<string, string> =>
  useSyncExternalStore(
    listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => aside,
  )
