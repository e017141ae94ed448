// What a media child does with a request: probe a file, or run a segment by its form.
import { existsSync } from 'node:fs'
import { Problem } from '#kit/errors.ts'
import type { FileFacts } from '#kit/file-facts.ts'
import type { MediaFile } from '#media/file/file.ts'
import { tellLooks } from '#media/file/looking.ts'
import { ownedBy } from '#media/file/media-problem.ts'
import { preparedBy } from '#media/make/prepared-clips.ts'
import { openMemory } from '#media/pixels/pixel-memory.ts'
import type { Ask } from '#media/process/media-child.ts'
import type { Adapters } from './adapter.ts'
import { type Probe, runFile } from './run-file.ts'
import { runImage } from './run-image.ts'
import type { ChildRequest, SegmentRequest, SegmentResult } from './segment.ts'
import type { Emit, SegmentRunner } from './step.ts'

export interface ChildParts {
  adapters: Adapters
  probe: Probe
  runVideo: SegmentRunner
}

export async function runRequest(
  request: ChildRequest,
  { adapters, probe, runVideo }: ChildParts,
  emit: Emit,
  ask: Ask,
): Promise<FileFacts | SegmentResult> {
  if (request.kind === 'probe') return probe(request.path, request.limits, request.tools)
  tellLooks(emit)
  openMemory(request.limits, request.memoryBytes ?? 0)
  // It was there when it was handed to us, so this says nothing about the file.
  if (!existsSync(request.input.path)) throw new Problem('unavailable', 'The file store cannot be used now.')
  if (request.form === 'image') return runImage(request, adapters, emit)
  const known = { ...request, input: await looked(request, probe) }
  if (request.form === 'run') return runFile(known, adapters, emit, probe)
  return runVideo(known, adapters, emit, request.keeps ? preparedBy(ask, request.folder) : null)
}

/** Of a picture that was received just now only the first bytes were looked at; its size and its frames are not known yet. */
async function looked({ input, limits, tools, entries }: SegmentRequest, probe: Probe): Promise<MediaFile> {
  if (input.medium !== 'image' || input.width !== null) return input
  try {
    return { ...input, ...(await probe(input.path, limits, tools)) }
  } catch (error) {
    throw ownedBy(error, entries[0]!.index)
  }
}
