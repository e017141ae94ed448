// What a media child does with a request: probe a file, or run a segment by its form.
import { existsSync } from 'node:fs'
import { Problem } from '#kit/errors.ts'
import type { FileFacts } from '#kit/file-facts.ts'
import type { MediaFile } from '#media/file/file.ts'
import { ownedBy } from '#media/file/media-problem.ts'
import { ofAsset } from '#media/file/of-asset.ts'
import { preparedBy } from '#media/make/prepared-clips.ts'
import { openMemory } from '#media/pixels/pixel-memory.ts'
import type { Ask } from '#media/process/media-child.ts'
import type { Adapters } from './adapter.ts'
import { type Probe, runFile } from './run-file.ts'
import { runImage } from './run-image.ts'
import type { ChildRequest, SegmentEntry, SegmentRequest, SegmentResult } from './segment.ts'
import type { Emit, SegmentRunner } from './step.ts'

export interface ChildParts {
  adapters: Adapters
  probe: Probe
  runVideo: SegmentRunner
  /** Looks at a picture that it makes, and says how that went in one sentence. */
  checkSight(): Promise<string>
}

export async function runRequest(
  request: ChildRequest,
  { adapters, probe, runVideo, checkSight }: ChildParts,
  emit: Emit,
  ask: Ask,
): Promise<FileFacts | SegmentResult | string> {
  if (request.kind === 'look') return checkSight()
  if (request.kind === 'probe') return probe(request.path, request.limits, request.tools)
  openMemory(request.limits, request.memoryBytes ?? 0)
  // It was there when it was handed to us, so this says nothing about the file.
  if (!existsSync(request.input.path)) throw new Problem('unavailable', 'The file store cannot be used now.')
  const segment = { ...request, entries: await withAssets(request, probe) }
  if (request.form === 'image') return runImage(segment, adapters, emit)
  const known = { ...segment, input: await looked(segment, probe) }
  if (request.form === 'run') return runFile(known, adapters, emit, probe)
  return runVideo(known, adapters, emit, request.keeps ? preparedBy(ask, request.folder) : null)
}

/** Adapters ask for the sizes of assets. Of a file that came with the task in place of one only the first bytes were looked at. */
function withAssets({ entries, limits, tools }: SegmentRequest, probe: Probe): Promise<SegmentEntry[]> {
  const look = (file: MediaFile): Promise<MediaFile> =>
    ofAsset(file, async () => ({ ...file, ...(await probe(file.path, limits, tools)) }))
  return Promise.all(
    entries.map(async entry => {
      const assets: [string, MediaFile[]][] = []
      try {
        for (const [parameter, files] of Object.entries(entry.assets)) {
          const known: MediaFile[] = []
          for (const file of files) known.push(isUnknown(file) ? await look(file) : file)
          assets.push([parameter, known])
        }
      } catch (error) {
        throw ownedBy(error, entry.index)
      }
      return { ...entry, assets: Object.fromEntries(assets) }
    }),
  )
}

const isUnknown = ({ medium, width, duration }: MediaFile): boolean =>
  medium !== 'file' && width === null && duration === null

/** Of a picture that was received just now only the first bytes were looked at; its size and its frames are not known yet. */
async function looked({ input, limits, tools, entries }: SegmentRequest, probe: Probe): Promise<MediaFile> {
  if (input.medium !== 'image' || input.width !== null) return input
  try {
    return { ...input, ...(await probe(input.path, limits, tools)) }
  } catch (error) {
    throw ownedBy(error, entries[0]!.index)
  }
}
