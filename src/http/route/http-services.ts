// The services that app.ts gives to the HTTP side.
import type { Db } from '#db/database.ts'
import type { UploadLocks } from '#db/upload-locks.ts'
import type { Adapters } from '#engine/adapter.ts'
import type { Media } from '#engine/children/media.ts'
import type { FileFacts } from '#kit/file-facts.ts'
import type { Log } from '#kit/log.ts'
import type { Outbound } from '#kit/net/outbound.ts'
import type { SecretBox } from '#kit/secret/secrets.ts'
import type { Settings } from '#kit/settings.ts'
import type { ExposedMeters } from '#kit/telemetry/meters.ts'
import type { Tracer } from '#kit/telemetry/trace.ts'
import type { Queue } from '#queue/queue.ts'
import type { Blobs } from '#storage/blobs.ts'
import type { Changes } from '#tasks/show/changes.ts'
import type { Waits } from './waits.ts'

export interface Services {
  settings: Settings
  log: Log
  db: Db
  blobs: Blobs
  secretBox: SecretBox
  adapters: Adapters
  outbound: Outbound
  queue: Queue
  media: Media
  /** Who is at which resumable upload. */
  uploadLocks: UploadLocks
  /** Wakes watchers when a task changes. */
  changes: Changes
  /** Reads the facts of a local file. */
  probe(path: string, signal?: AbortSignal): Promise<FileFacts>
  /** KEEPSAKE_ADMIN_TOKEN or the one made at the first start. */
  adminToken: string
  version: string
  meters: ExposedMeters
  tracer: Tracer
  /** True once work can be taken, false again while draining. */
  ready(): boolean | Promise<boolean>
  /** True when the service refuses new work because it is about to stop. */
  stopping?(): boolean
  /** What this machine cannot do, one sentence each: "ffmpeg is missing: the video adapters are off". */
  off(): string[]
  /** Those of them that are about videos and sound. */
  videoOff(): string[]
  /** Has a media child prove that it can look for people; a sentence, or a problem. */
  checkVision(signal?: AbortSignal): Promise<string>
  /** The families of fonts that text can be set in here, by name. */
  fonts(): Promise<string[]>
  /** Other than usual. */
  waits?: Partial<Waits>
}
