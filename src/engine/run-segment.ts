// What a media child does with a request: probe a file, or run a segment by its form.
import { existsSync } from 'node:fs'
import { Problem } from '#kit/errors.ts'
import type { Facts } from '#media/file.ts'
import type { Adapters } from './adapter.ts'
import { type Probe, runFile } from './run-file.ts'
import { runImage } from './run-image.ts'
import type { ChildRequest, SegmentResult } from './segment.ts'
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
): Promise<Facts | SegmentResult> {
  if (request.kind === 'probe') return probe(request.path, request.limits, request.tools)
  // It was there when it was handed to us, so this says nothing about the file.
  if (!existsSync(request.input.path)) throw new Problem('unavailable', 'The file store cannot be used now.')
  switch (request.form) {
    case 'image':
      return runImage(request, adapters, emit)
    case 'video':
      return runVideo(request, adapters, emit)
    case 'run':
      return runFile(request, adapters, emit, probe)
  }
}
