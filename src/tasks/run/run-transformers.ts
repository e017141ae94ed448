// Runs a transformer segment in a media child and stores its output as a blob.

import { retryWhileAway } from '#db/retry-while-away.ts'
import type { StoredFile } from '#db/tables.ts'
import { rememberUpload } from '#db/tasks/upload-rows.ts'
import type { MediaRun } from '#engine/children/media.ts'
import type { MediaFile } from '#engine/files.ts'
import type { Segment } from '#engine/plan.ts'
import type { EntryReport, SegmentResult } from '#engine/segment.ts'
import { failpoint } from '#kit/failpoint.ts'
import type { JsonObject } from '#kit/json.ts'
import { codeOf, noSpan, type Span, within } from '#kit/telemetry/trace.ts'
import type { Chain } from '../entry/loaded.ts'
import { localFile } from '../entry/local-files.ts'
import { type MediaMade, runMedia } from '../entry/run-media.ts'
import { commandText } from './command-text.ts'
import { progressOf } from './progress.ts'
import type { Run } from './run.ts'
import type { EndedEntries } from './run-segment.ts'

export async function runTransformers(
  run: Run,
  chain: Chain,
  { segment, input, folder }: { segment: Segment; input: StoredFile; folder: string },
  { onBegin, alone }: Required<Pick<MediaRun, 'onBegin' | 'alone'>>,
): Promise<EndedEntries> {
  const file = await localFile(run, input)
  await using progress = progressOf(run, chain)
  failpoint('media.before')
  const work = { form: segment.form, entries: segment.entries, input: file, folder }
  const made = await inChild(run.span, onBegin, begin =>
    runMedia(run, chain, work, { onProgress: progress.moved, onBegin: begin, alone }),
  )
  failpoint('media.after')
  const stored = await within(run.span.child('store'), () => store(run, made.result))
  const ends = made.result.entries.map(report => {
    const own = made.prepared.find(entry => entry.index === report.index)?.warnings ?? []
    const melted = report.facts && { ...report.facts, blob: null, sha256: null }
    return {
      index: report.index,
      status: 'Succeeded' as const,
      result: { success: true },
      warnings: [...own, ...report.warnings],
      output: report.index === segment.entries.at(-1) ? stored : melted,
      explanation: explanation(report, made, labels(file, made)),
    }
  })
  return { ends, blobs: [stored.blob] }
}

/** The span of the media child begins when the child does: before that, memory and a free child are waited for. */
async function inChild(
  parent: Span,
  onBegin: () => void,
  work: (begin: () => void) => Promise<MediaMade>,
): Promise<MediaMade> {
  let span = noSpan
  try {
    const made = await work(() => {
      span = parent.child('media child')
      onBegin()
    })
    span.set({ 'keepsake.output_bytes': made.result.output.bytes })
    return made
  } catch (error) {
    span.fail(codeOf(error))
    throw error
  } finally {
    span.end()
  }
}

async function store({ services, signal }: Run, { output }: SegmentResult): Promise<StoredFile> {
  const { path: _path, ...facts } = output
  const { blob } = await services.blobs.putFile(output, {
    signal,
    announce: blob => retryWhileAway(() => rememberUpload(services.db, blob)),
  })
  return { ...facts, blob }
}

type Labels = ReadonlyMap<string, string>

function labels(input: MediaFile, { prepared, result }: MediaMade): Labels {
  const assets = prepared.flatMap(({ assets }) =>
    Object.entries(assets).flatMap(([name, files]) => files.map(file => [file.path, `{asset:${name}}`] as const)),
  )
  return new Map([...assets, [input.path, '{input}'], [result.output.path, '{output}']])
}

function explanation(report: EntryReport, { result }: MediaMade, known: Labels): JsonObject {
  const { decisions, command, timings, seen } = report
  return {
    decisions,
    command: command && commandText(command, known),
    versions: result.versions,
    timings,
    ...(seen.length > 0
      ? { seen: seen.map(({ faces, ...size }) => ({ ...size, faces: faces.map(face => ({ ...face })) })) }
      : {}),
  }
}
