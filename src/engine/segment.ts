// What a media child is asked and what it answers: a probe of one file, or a planned run of neighbouring entries.

import type { FileFacts } from '#kit/file-facts.ts'
import type { JsonObject } from '#kit/json.ts'
import type { MediaFile } from '#media/file/file.ts'
import type { Size } from '#media/file/geometry.ts'
import type { MediaLimits, Tools } from '#media/file/media-limits.ts'
import type { SeenFace } from './adapter.ts'

export interface ProbeRequest {
  kind: 'probe'
  path: string
  limits: MediaLimits
  tools: Tools
}

export interface SegmentEntry {
  index: number
  adapter: string
  /** Complete and with placeholders filled in. */
  options: JsonObject
  assets: Record<string, MediaFile[]>
  context: JsonObject
}

export interface SegmentRequest {
  kind: 'segment'
  form: 'image' | 'video' | 'run'
  input: MediaFile
  entries: SegmentEntry[]
  /** Exists and is empty; the output goes here. */
  folder: string
  /** Whether what is prepared of assets is kept for the next task. */
  keeps?: boolean
  limits: MediaLimits
  tools: Tools
  threads: number
  /** What was reserved for it: input, options and assets together. */
  memoryBytes?: number
}

/** Asks a child to prove that it can look for people. */
export interface VisionCheckRequest {
  kind: 'look'
}

export type ChildRequest = ProbeRequest | SegmentRequest | VisionCheckRequest

/** The faces of one picture, in its own pixels. */
interface SeenPicture extends Size {
  faces: SeenFace[]
}

export interface EntryReport {
  index: number
  /** What the entry handed on; null where it melted into the next one and no file was made. */
  facts: FileFacts | null
  decisions: string[]
  warnings: string[]
  /** What was seen in pictures, in the order in which they were looked at. */
  seen: SeenPicture[]
  command: string[] | null
  /** Milliseconds by name. */
  timings: Record<string, number>
}

export interface SegmentResult {
  output: MediaFile & { sha256: string }
  entries: EntryReport[]
  versions: Record<string, string>
}

/** What a child says while it works. */
export interface ChildEvent {
  progress: { index: number; fraction: number }
}
