// Runs one adapter on a picture, for the pictures of its page.
import { transformers as adapters } from '#adapters/transformers.ts'
import { runImage } from '#engine/run-image.ts'
import type { JsonObject } from '#kit/json.ts'
import { withDefaults } from '#kit/schema.ts'
import type { MediaFile } from '#media/file/file.ts'
import type { MediaLimits } from '#media/file/media-limits.ts'
import { probe } from '#media/probe/probe.ts'

const tools = { ffmpeg: null, ffprobe: null, jpegtran: null }
const limits: MediaLimits = {
  maxPixels: 1e8,
  maxFrames: 100,
  maxMemoryBytes: 2 ** 30,
  maxVideoSeconds: 1,
  maxVideoPixels: 1,
  maxVideoFps: 1,
}

export const openPicture = async (path: string): Promise<MediaFile> => ({
  ...(await probe(path, limits, tools, async (_path, facts) => facts)),
  path,
})

export interface Wish {
  adapter: string
  /** Those that are left out are the defaults. */
  options: JsonObject
  input: MediaFile
  assets?: Record<string, MediaFile[]>
}

/** Answers the path of the picture below `folder`, and what the entry decided. */
export async function runPicture(
  folder: string,
  { adapter, options, input, assets = {} }: Wish,
): Promise<{ path: string; decisions: string[] }> {
  const declared = adapters.get(adapter)
  if (!declared) throw new Error(`there is no adapter "${adapter}"`)
  const whole = withDefaults(declared.options, options) as JsonObject
  const entries = [{ index: 0, adapter, options: whole, assets, context: {} }]
  const request = { kind: 'segment', form: 'image', input, entries, folder, limits, tools, threads: 1 } as const
  const { output, entries: ran } = await runImage(request, adapters, () => {})
  return { path: output.path, decisions: ran[0]?.decisions ?? [] }
}
