// Runs neighbouring image entries as one: decoded once, raw pixels handed on, encoded once.
import { Problem } from '#kit/errors.ts'
import type { FileFacts } from '#kit/file-facts.ts'
import type { MediaFile } from '#media/file/file.ts'
import { formats } from '#media/file/formats.ts'
import type { MediaLimits } from '#media/file/media-limits.ts'
import { ownedBy } from '#media/file/media-problem.ts'
import { sniff } from '#media/file/sniff.ts'
import { Picture } from '#media/picture/picture.ts'
import { writePicture } from '#media/picture/picture-write.ts'
import { vipsVersions } from '#media/pixels/vips.ts'
import type { Adapters, ImageAdapter } from './adapter.ts'
import { factsOf, withDigest } from './digest.ts'
import type { EntryReport, SegmentEntry, SegmentRequest, SegmentResult } from './segment.ts'
import { adapterOf, type Emit, newReport, newStep, owned, timed } from './step.ts'

export async function runImage(request: SegmentRequest, adapters: Adapters, emit: Emit): Promise<SegmentResult> {
  try {
    return await melt(request, adapters, emit, false)
  } catch (error) {
    if (request.entries.length === 1) throw ownedBy(error, request.entries[0]!.index)
  }
  // Lazy work fails late. Again, with every entry's pixels made before the next begins: the first to fail owns the error.
  return melt(request, adapters, emit, true)
}

/** Fewer pixels are done so soon that telling in between would cost more than it is worth. */
const WORTH_TELLING = 4_000_000

async function melt(
  { input, entries, folder, limits, tools }: SegmentRequest,
  adapters: Adapters,
  emit: Emit,
  each: boolean,
): Promise<SegmentResult> {
  const reports = entries.map(({ index }) => newReport(index))
  const first = reports[0]!
  const last = reports.at(-1)!
  let picture = await owned(first, () => timed(first, 'open', () => open(input, limits, first)))
  const large = picture.width * picture.height * picture.frames > WORTH_TELLING
  const progress = (index: number, fraction: number): void => {
    if (large) emit({ progress: { index, fraction } })
  }
  for (const [i, entry] of entries.entries()) {
    const report = reports[i]!
    picture = await owned(report, () =>
      timed(report, 'step', async () => {
        const next = await imageAdapter(adapters, entry).image(picture, newStep(entry, report, emit))
        return each ? next.settle() : next
      }),
    )
    report.facts = factsNow(picture)
    progress(entry.index, report === last ? 0.5 : 1)
  }
  const written = await owned(last, () => timed(last, 'write', () => writePicture(picture, folder, tools)))
  const { path, command, decisions, ...facts } = written
  const output = withDigest(path, { ...facts, medium: 'image' })
  last.facts = factsOf(output)
  last.command = command
  last.decisions.push(...decisions)
  return { output, entries: reports, versions: vipsVersions() }
}

/** What the entry would have made of it, if it ran alone; but for its bytes. */
function factsNow({ width, height, frames, animation, output }: Picture): FileFacts {
  const { mime, ext, animated } = formats[output.format]
  const moving = animated ? animation : null
  const duration = moving ? moving.delays.reduce((sum, delay) => sum + delay, 0) / 1000 : null
  return { mime, ext, medium: 'image', bytes: 0, width, height, duration, frames: moving ? frames : null }
}

/** What the file is now, not what it was said to be. */
async function open(input: MediaFile, limits: MediaLimits, report: EntryReport): Promise<Picture> {
  const { mime, medium, bytes } = await sniff(input.path)
  if (bytes === 0) throw new Problem('corrupt_input', 'The file is empty.')
  if (medium !== 'image' || mime === 'image/svg+xml') {
    const taken = 'JPEG, PNG, WebP, GIF, AVIF, TIFF or HEIC'
    throw new Problem('unsupported_format', `The input is ${mime}; this step takes a picture: ${taken}.`)
  }
  return Picture.open({ ...input, mime }, limits, report)
}

function imageAdapter(adapters: Adapters, entry: SegmentEntry): ImageAdapter {
  const adapter = adapterOf(adapters, entry)
  if (!('image' in adapter)) throw new Problem('unknown_adapter', `"${entry.adapter}" does not work on pixels.`)
  return adapter
}
