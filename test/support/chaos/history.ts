// What the clients know: what they asked for, what they were answered, and what they saw of each end.

import { random } from '../seed.ts'
import { hookFor } from './hooks.ts'
import type { Size } from './label.ts'

export const LARGE_EVERY = 40

/** What is asked for. A pair is a task group of two configurations for two guests. */
export const kinds = ['bucket', 'web', 'mail', 'all', 'pair'] as const
/** Beside them some videos, where they can be made. */
export type Kind = (typeof kinds)[number] | 'video'
export type BaitKind = 'web' | 'video'
const VIDEO_EVERY = 12

/** Guests who are registered before anything is sent, and those who come when their pictures are long made. */
export const GUESTS = 8
export const LATE_GUESTS = 2

export interface EntryView {
  index: number
  configuration: string
  status: string
  result: { file_key?: string } | null
  error: { code: string; message: string } | null
}

/** A task or a task group, as the API shows it. */
export interface View {
  task_id: string
  status: string
  ended_at: string | null
  entries?: EntryView[]
  tasks?: { configuration: string; entries: EntryView[] }[]
}

/** The entries with their number in the whole request, and which of its configurations each belongs to. */
export function entriesOf(view: View): (EntryView & { overall: number; part: number })[] {
  const parts = view.tasks?.map(({ entries }) => entries) ?? [view.entries ?? []]
  return parts
    .flatMap((entries, part) => entries.map(entry => ({ ...entry, part })))
    .map((entry, overall) => ({ ...entry, overall }))
}

/** An end that a client saw, with the versions of the files that had been sent until then. */
export interface Seen {
  view: View
  versions: number[]
}

/** One request with everything that became of it, from outside. */
export interface Asked {
  serial: number
  kind: Kind
  key: string
  hook: string
  size: Size
  /** For each part the guests that it names. */
  guests: string[][]
  cancelAfterMs: number | null
  /** Every id that was ever answered for its key: more than one would be a double. */
  ids: Set<string>
  /** Ends that were seen, by the time they were told to have happened. */
  ends: Map<string, Seen>
  /** Retries that were surely taken, and those that may have been. */
  retries: { certain: number; asked: number }
  /** The latest version of each part's file, and the oldest one that may still be in force. */
  versions: number[]
  surely: number[]
}

export const isGroup = ({ kind }: Pick<Asked, 'kind'>): boolean => kind === 'pair'
export const pathOf = (asked: Pick<Asked, 'kind'>): string => (isGroup(asked) ? '/api/taskgroup/' : '/api/task/')
/** The configurations of a pair. */
export const PAIR = ['pair-web', 'pair-bucket']

/** Sent at a chosen instant: a web address must get it once, and when it is huge it takes long until it does. */
export function planBait(serial: number, seed: number, kind: BaitKind, size: Size): Asked {
  return {
    ...plan(serial, seed, false),
    kind,
    hook: 'flaky',
    guests: [['guest-0']],
    cancelAfterMs: null,
    size,
    versions: [0],
    surely: [0],
  }
}

/** Says of each serial number what is asked for: the same for the same seed, whatever happens. */
export function plan(serial: number, seed: number, videos: boolean): Asked {
  const next = random(seed * 1_000_003 + serial)
  const drawn = kinds[Math.floor(next() ** 1.2 * kinds.length)] as Kind
  const kind = videos && serial % VIDEO_EVERY === 5 ? 'video' : drawn
  const guest = () => `guest-${Math.floor(next() * (GUESTS + LATE_GUESTS))}`
  const parts = kind === 'pair' ? 2 : 1
  const couple = next() < 0.5 ? ['guest-0', 'guest-1'] : ['guest-1', 'guest-0']
  return {
    serial,
    kind,
    key: `request-${seed}-${serial}`,
    hook: hookFor(next()),
    size: serial % LARGE_EVERY === 7 ? 'large' : 'small',
    guests:
      kind === 'pair' ? couple.map((one, at) => (next() < 0.5 ? [one] : [one, couple[1 - at] as string])) : [[guest()]],
    cancelAfterMs: next() < 0.06 ? Math.floor(next() * 1_500) : null,
    ids: new Set(),
    ends: new Map(),
    retries: { certain: 0, asked: 0 },
    versions: Array.from({ length: parts }, () => 0),
    surely: Array.from({ length: parts }, () => 0),
  }
}

/** Keeps an end that was seen. */
export function note(asked: Asked, view: View): void {
  if (view.ended_at) asked.ends.set(view.ended_at, { view, versions: [...asked.versions] })
}
