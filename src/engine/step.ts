// The step an adapter gets for one entry, and the report that is kept of what it said and how long it took.
import { Problem } from '#kit/errors.ts'
import { own } from '#kit/json.ts'
import type { MediaFile } from '#media/file/file.ts'
import { ownedBy } from '#media/file/media-problem.ts'
import type { PreparedAssets } from '#media/make/prepared-clips.ts'
import type { Adapter, Adapters, Step } from './adapter.ts'
import type { ChildEvent, EntryReport, SegmentEntry, SegmentRequest, SegmentResult } from './segment.ts'

export type Emit = (event: ChildEvent) => void

/** Runs one form of segment inside a media child. */
export type SegmentRunner = (
  request: SegmentRequest,
  adapters: Adapters,
  emit: Emit,
  prepared?: PreparedAssets | null,
) => Promise<SegmentResult>

export const newReport = (index: number): EntryReport => ({
  index,
  facts: null,
  decisions: [],
  warnings: [],
  seen: [],
  command: null,
  timings: {},
})

/** Pictures of an entry, and faces of a picture, that are told of. */
const MOST_TOLD = 100

/** Nothing is aborted from inside: a child whose work is not wanted any more is killed. */
const never = new AbortController().signal

export function newStep(entry: SegmentEntry, report: EntryReport, emit: Emit): Step {
  const { index, options, assets, context } = entry
  return {
    options,
    context,
    assets: (parameter: string): MediaFile[] => own(assets, parameter) ?? [],
    signal: never,
    progress: fraction => emit({ progress: { index, fraction: Math.min(Math.max(fraction, 0), 1) } }),
    decide: sentence => void report.decisions.push(sentence),
    warn: sentence => void report.warnings.push(sentence),
    saw({ width, height }, faces) {
      const told = faces
        .slice(0, MOST_TOLD)
        .map(({ left, top, width, height, score }) => ({ left, top, width, height, score }))
      if (report.seen.length < MOST_TOLD) report.seen.push({ width, height, faces: told })
    },
  }
}

export function adapterOf(adapters: Adapters, { adapter: name }: SegmentEntry): Adapter {
  const adapter = adapters.get(name)
  if (!adapter) throw new Problem('unknown_adapter', `There is no adapter named "${name}" in this process.`)
  return adapter
}

/** Runs `work`; its problem is that of the entry, unless it is already another's. */
export async function owned<T>({ index }: { index: number }, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw ownedBy(error, index)
  }
}

/** Runs `work` and adds its milliseconds to the report under `name`. */
export async function timed<T>(report: EntryReport, name: string, work: () => T | Promise<T>): Promise<T> {
  const start = performance.now()
  try {
    return await work()
  } finally {
    report.timings[name] = Math.round(((report.timings[name] ?? 0) + performance.now() - start) * 10) / 10
  }
}
