// Reads the facts of a file from its header alone: type, size, length.
import { Problem } from '#kit/errors.ts'
import type { FileFacts } from '#kit/file-facts.ts'
import { checkPicture, type MediaLimits, type Tools } from '../file/media-limits.ts'
import { sniff } from '../file/sniff.ts'
import { readHeader } from '../picture/picture-header.ts'

/** Completes the sniffed facts of a video or a sound, or refuses it. */
type ProbeRecording = (path: string, facts: FileFacts, limits: MediaLimits, tools: Tools) => Promise<FileFacts>

export async function probe(
  path: string,
  limits: MediaLimits,
  tools: Tools,
  probeRecording: ProbeRecording,
): Promise<FileFacts> {
  const { mime, ext, medium, bytes } = await sniff(path)
  const facts: FileFacts = { mime, ext, medium, bytes, width: null, height: null, duration: null, frames: null }
  if (bytes === 0) throw new Problem('corrupt_input', 'The file is empty.')
  if (medium === 'image') {
    const { width, height, frames, seconds } = await readHeader(path, mime)
    checkPicture({ width, height, frames }, limits)
    return { ...facts, width, height, frames, duration: seconds }
  }
  if (medium === 'video' || medium === 'audio') return probeRecording(path, facts, limits, tools)
  return facts
}
