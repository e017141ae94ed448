// Runs a transformer segment in a media child and takes its output into the blob store.
import type { StoredFile } from '#db/tables.ts'
import { rememberUpload } from '#db/tasks/upload-rows.ts'
import { withPatience } from '#db/while-away.ts'
import type { MediaRun } from '#engine/children/media.ts'
import type { MediaFile } from '#engine/files.ts'
import type { Segment } from '#engine/plan.ts'
import type { EntryReport, SegmentEntry, SegmentResult } from '#engine/segment.ts'
import { failpoint } from '#kit/failpoint.ts'
import type { JsonObject } from '#kit/json.ts'
import type { Chain, Loaded } from '../entry/loaded.ts'
import { assetsOf, localFile, newFolder, withFiles } from '../entry/local-files.ts'
import { prepareEntry } from '../entry/prepare-entry.ts'
import { commandText } from './command-text.ts'
import { progressOf } from './progress.ts'
import type { Run } from './run.ts'
import type { Made } from './run-segment.ts'

export async function makeFile(
  run: Run,
  chain: Chain,
  segment: Segment,
  input: StoredFile,
  folder: string,
  { onBegin, alone }: Required<Pick<MediaRun, 'onBegin' | 'alone'>>,
): Promise<Made> {
  const { services, signal } = run
  const file = await localFile(run, input, folder)
  const prepared = await Promise.all(segment.entries.map(index => prepareEntry(run, chain, index, file, folder)))
  const entries = prepared.map(
    ({ index, adapter, options, assets, context }): SegmentEntry => ({
      index,
      adapter: adapter.name,
      options,
      assets,
      context,
    }),
  )
  await using progress = progressOf(run, chain)
  const output = newFolder(folder)
  failpoint('media.before')
  const form = segment.form as 'image' | 'video' | 'run'
  const timeoutMs = services.settings.maxEntrySeconds * 1000
  const result = await withFiles([file, ...prepared.flatMap(assetsOf)], () =>
    services.media.run(
      { form, input: file, entries, folder: output, experienceId: run.task.experience_id },
      { signal, timeoutMs, onProgress: progress.moved, onBegin, alone },
    ),
  )
  failpoint('media.after')
  const stored = await store(run, result)
  const ends = result.entries.map(report => {
    const warnings = [...(prepared.find(entry => entry.index === report.index)?.warnings ?? []), ...report.warnings]
    const last = report.index === segment.entries.at(-1)
    const melted = report.facts && { ...report.facts, blob: null, sha256: null }
    return {
      index: report.index,
      status: 'Succeeded' as const,
      result: { success: true },
      warnings,
      output: last ? stored : melted,
      explanation: explanation(report, result, labels(file, result.output, prepared)),
    }
  })
  return { ends, blobs: [stored.blob] }
}

async function store({ services }: Loaded, { output }: SegmentResult): Promise<StoredFile> {
  const { path: _path, ...facts } = output
  const { blob } = await services.blobs.putFile(output, {
    announce: blob => withPatience(() => rememberUpload(services.db, blob)),
  })
  return { ...facts, blob }
}

type Labels = ReadonlyMap<string, string>

function labels(
  input: MediaFile,
  output: MediaFile,
  prepared: readonly { assets: Record<string, MediaFile[]> }[],
): Labels {
  const assets = prepared.flatMap(({ assets }) =>
    Object.entries(assets).flatMap(([name, files]) => files.map(file => [file.path, `{asset:${name}}`] as const)),
  )
  return new Map([...assets, [input.path, '{input}'], [output.path, '{output}']])
}

function explanation(report: EntryReport, { versions }: SegmentResult, known: Labels): JsonObject {
  const { decisions, command, timings } = report
  return { decisions, command: command && commandText(command, known), versions, timings }
}
