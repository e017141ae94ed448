// A media child that some files keep busy for ever, and that hands on all others as they are.
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SegmentRequest, SegmentResult } from '#engine/segment.ts'
import { serve } from '#media/process/media-child.ts'

serve(async request => {
  const { input, folder } = request as SegmentRequest
  if (input.mime === 'spin') for (;;);
  const path = join(folder, 'output')
  copyFileSync(input.path, path)
  return { output: { ...input, path, sha256: '' }, entries: [], versions: {} } satisfies SegmentResult
})
