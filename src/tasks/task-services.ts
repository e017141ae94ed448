// The services that task code depends on.
import type { Db } from '#db/database.ts'
import type { Adapters } from '#engine/adapter.ts'
import type { Actor } from '#kit/actor.ts'
import type { Log } from '#kit/log.ts'
import type { Outbound } from '#kit/net/outbound.ts'
import type { SecretBox } from '#kit/secret/secrets.ts'
import type { Settings } from '#kit/settings.ts'
import type { Meters } from '#kit/telemetry/meters.ts'
import type { Queue } from '#queue/queue.ts'
import type { Blobs } from '#storage/blobs.ts'

export interface TaskServices {
  settings: Settings
  log: Log
  db: Db
  /** For writes that may be lost if PostgreSQL crashes. */
  queue: Queue
  blobs: Blobs
  secretBox: SecretBox
  adapters: Adapters
  outbound: Outbound
  meters: Meters
  /** The caller; undefined where the service acts by itself. */
  actor?: Actor
}
