// What a test needs to run a destination by itself: a file, a step, and what the step heard.
import { randomBytes } from 'node:crypto'
import { open, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DeliveryStep, DestinationAdapter, ObjectSchema } from '#engine/adapter.ts'
import { type Discreet, discreet } from '#engine/discreet.ts'
import type { JsonObject } from '#kit/json.ts'
import { newOutbound } from '#kit/net/outbound.ts'
import { schemaErrors, withDefaults } from '#kit/schema.ts'
import type { MediaFile } from '#media/file/file.ts'

export interface TestStep extends DeliveryStep {
  /** What becomes of results and errors before they are stored. */
  told: Pick<Discreet, 'result' | 'error'>
  heard: { progress: number[]; warnings: string[]; decisions: string[]; saved: JsonObject[] }
}

export interface StepOptions {
  options: JsonObject
  auth?: JsonObject
  marker?: string
  checkpoint?: JsonObject | null
  signal?: AbortSignal
  allowHosts?: readonly string[]
  assets?: Record<string, MediaFile[]>
  experienceId?: string
  /** Who has which place; of the step alone unless given. */
  owners?: Map<string, string>
}

/** A step as the service would give it: defaults filled in, options and auth checked against the schemas. */
export function stepFor(adapter: DestinationAdapter, given: StepOptions): TestStep {
  const heard: TestStep['heard'] = { progress: [], warnings: [], decisions: [], saved: [] }
  const { auth = {}, marker = '0192-test-0', checkpoint = null, assets = {} } = given
  const { experienceId = 'park', owners = new Map() } = given
  const signal = given.signal ?? new AbortController().signal
  const { step, ...told } = discreet(adapter, {
    options: checked(adapter.options, given.options),
    auth: adapter.auth ? checked(adapter.auth, auth) : {},
    experienceId,
    places: {
      owner: async place => (owners.has(place) ? (owners.get(place) === experienceId ? 'ours' : 'others') : null),
      take: async place => void (owners.has(place) || owners.set(place, experienceId)),
    },
    outbound: newOutbound({ allowHosts: given.allowHosts ?? ['127.0.0.1', 'localhost'], connectTimeoutMs: 3000 }),
    marker,
    checkpoint,
    signal,
    context: {},
    assets: parameter => assets[parameter] ?? [],
    progress: fraction => void heard.progress.push(fraction),
    decide: sentence => void heard.decisions.push(sentence),
    warn: sentence => void heard.warnings.push(sentence),
    async save(saved) {
      heard.saved.push(structuredClone(saved))
    },
  })
  return { ...step, heard, told }
}

function checked(schema: ObjectSchema, value: JsonObject): JsonObject {
  const filled = withDefaults(schema, value)
  const [error] = schemaErrors(schema, filled)
  if (error) throw new Error(`${error.field} ${error.message}`)
  return filled
}

/** The next attempt after a crash: it finds what the last one saved. */
export const checkpointOf = (step: TestStep): JsonObject | null => step.heard.saved.at(-1) ?? step.checkpoint

const facts = { medium: 'file', width: null, height: null, duration: null, frames: null } as const

/** A file of random bytes. */
export async function randomFile(
  folder: string,
  bytes: number,
  ext = '.bin',
  mime = 'application/octet-stream',
): Promise<MediaFile> {
  const path = join(folder, randomBytes(8).toString('hex'))
  await writeFile(path, randomBytes(bytes))
  return { ...facts, path, bytes, ext, mime }
}

/** A file that is large without taking room on disk. */
export async function sparseFile(folder: string, bytes: number, ext = '.mp4', mime = 'video/mp4'): Promise<MediaFile> {
  const path = join(folder, randomBytes(8).toString('hex'))
  const file = await open(path, 'w')
  await file.truncate(bytes)
  await file.close()
  return { ...facts, path, bytes: (await stat(path)).size, ext, mime }
}
