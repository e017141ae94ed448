// A media child that never comes back from a look at some files, and hands on all others as they are.
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SegmentRequest, SegmentResult } from '#engine/segment.ts'
import { tellReads, watchBlockingRead } from '#media/file/watch-read.ts'
import { serve } from '#media/process/media-child.ts'

serve(async (request, emit) => {
  const { input, folder } = request as SegmentRequest
  tellReads(({ looking: ms }) => emit({ looking: ms === null ? null : Math.min(ms, 1_000) }))
  return watchBlockingRead(input.path, (): SegmentResult => {
    if (input.mime === 'spin') for (;;);
    if (input.mime === 'wait') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    const path = join(folder, 'output')
    copyFileSync(input.path, path)
    return { output: { ...input, path, sha256: '' }, entries: [], versions: {} }
  })
})
