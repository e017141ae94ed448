// How work gets to a media child and back: files are shown to it in its room, what it made is taken out of it.
import { basename, join } from 'node:path'
import type { FileFacts } from '#kit/file-facts.ts'
import type { MediaFile } from '#media/file/file.ts'
import { type ChildRoom, show, takeOut } from '#media/process/child-room.ts'
import type { Work } from '#media/process/pool.ts'
import type { ProbeRequest, SegmentEntry, SegmentRequest, SegmentResult, VisionCheckRequest } from '../segment.ts'

export const probeWork = (request: ProbeRequest): Work<FileFacts> => ({
  bring: room => once(show(room, request.path), path => ({ ...request, path })),
  take: (_room, answer) => answer as FileFacts,
})

/** Needs no file. */
export const visionCheckWork = (): Work<string> => ({
  bring: () => ({ kind: 'look' }) satisfies VisionCheckRequest,
  take: (_room, answer) => String(answer),
})

export function segmentWork(request: SegmentRequest): Work<SegmentResult> {
  let shown: Shown = new Map()
  return {
    bring: room =>
      once(showAll(room, request), paths => {
        shown = paths
        return inRoom(request, room, paths)
      }),
    take: (room, answer) => takeResult(room, answer as SegmentResult, request.folder, shown),
  }
}

/** Where the child finds each file. */
type Shown = Map<string, string>

const filesOf = ({ assets }: SegmentEntry): MediaFile[] => Object.values(assets).flat()

function showAll(room: ChildRoom, { input, entries }: SegmentRequest): Shown | Promise<Shown> {
  const paths = new Set([input, ...entries.flatMap(filesOf)].map(({ path }) => path))
  const shown = [...paths].map(path => [path, show(room, path)] as const)
  if (shown.every((pair): pair is [string, string] => typeof pair[1] === 'string')) return new Map(shown)
  return Promise.all(shown.map(async ([path, copy]) => [path, await copy] as const)).then(pairs => new Map(pairs))
}

function inRoom(request: SegmentRequest, room: ChildRoom, shown: Shown): SegmentRequest {
  const seen = (file: MediaFile): MediaFile => ({ ...file, path: shown.get(file.path)! })
  const entries = request.entries.map(entry => ({
    ...entry,
    assets: Object.fromEntries(Object.entries(entry.assets).map(([name, files]) => [name, files.map(seen)])),
  }))
  return { ...request, input: seen(request.input), entries, folder: room.out }
}

/** The output in the folder that was asked for, and commands with the paths that the caller knows. */
function takeResult(room: ChildRoom, result: SegmentResult, folder: string, shown: Shown): SegmentResult {
  const path = join(folder, basename(result.output.path))
  takeOut(room, result.output.path, path)
  const known = [...shown, [path, result.output.path] as const]
  const outside = (word: string): string => known.reduce((text, [ours, theirs]) => text.replaceAll(theirs, ours), word)
  const entries = result.entries.map(entry => ({ ...entry, command: entry.command?.map(outside) ?? null }))
  return { ...result, output: { ...result.output, path }, entries }
}

/** Now where it can be had now: a hop through the event loop for each photo would cost more than the links. */
const once = <T, R>(value: T | Promise<T>, then: (value: T) => R): R | Promise<R> =>
  value instanceof Promise ? value.then(then) : then(value)
