// Runs an entry that goes from file to file: its adapter writes into a folder, the result is probed like an upload.
import { mkdir, rename } from 'node:fs/promises'
import { basename, join, resolve, sep } from 'node:path'
import { Problem } from '#kit/errors.ts'
import type { FileFacts } from '#kit/file-facts.ts'
import type { MediaLimits, Tools } from '#media/file/media-limits.ts'
import type { Adapters, FileAdapter } from './adapter.ts'
import { factsOf, withDigest } from './digest.ts'
import type { SegmentEntry, SegmentRequest, SegmentResult } from './segment.ts'
import { adapterOf, type Emit, newReport, newStep, owned, timed } from './step.ts'

export type Probe = (path: string, limits: MediaLimits, tools: Tools) => Promise<FileFacts>

export async function runFile(
  request: SegmentRequest,
  adapters: Adapters,
  emit: Emit,
  probe: Probe,
): Promise<SegmentResult> {
  const [entry] = request.entries
  if (!entry || request.entries.length !== 1) throw new Problem('internal', 'An entry from file to file runs alone.')
  return owned(entry, () => run(entry, request, adapters, emit, probe))
}

async function run(
  entry: SegmentEntry,
  request: SegmentRequest,
  adapters: Adapters,
  emit: Emit,
  probe: Probe,
): Promise<SegmentResult> {
  const { input, folder, limits, tools } = request
  const report = newReport(entry.index)
  const work = join(folder, 'work')
  await mkdir(work)
  const adapter = fileAdapter(adapters, entry)
  const made = await timed(report, 'step', () => adapter.run(input, { ...newStep(entry, report, emit), folder: work }))
  if (!resolve(made.path).startsWith(resolve(work) + sep))
    throw new Problem('media_failed', 'The step handed on a file outside of its folder.')
  const facts = await timed(report, 'probe', () => probe(made.path, limits, tools))
  const path = join(folder, `output-${basename(made.path)}`)
  await rename(made.path, path)
  const output = withDigest(path, facts)
  report.facts = factsOf(output)
  report.command = made.command ?? null
  emit({ progress: { index: entry.index, fraction: 1 } })
  return { output, entries: [report], versions: {} }
}

function fileAdapter(adapters: Adapters, entry: SegmentEntry): FileAdapter {
  const adapter = adapterOf(adapters, entry)
  if (!('run' in adapter)) throw new Problem('unknown_adapter', `"${entry.adapter}" does not work from file to file.`)
  return adapter
}
