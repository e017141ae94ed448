// What a test needs to run a destination by itself: a file, a step, and what the step heard.
import { randomBytes } from 'node:crypto'
import { mkdir, open, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DeliveryStep, DestinationAdapter, ObjectSchema, Rolls } from '#engine/adapter.ts'
import { type RedactedStep, redactStep } from '#engine/redact-step.ts'
import { runImage } from '#engine/run-image.ts'
import type { JsonObject } from '#kit/json.ts'
import { newOutbound } from '#kit/net/outbound.ts'
import { schemaErrors, withDefaults } from '#kit/schema.ts'
import type { MediaFile } from '#media/file/file.ts'

export interface TestStep extends DeliveryStep {
  /** What becomes of results and errors before they are stored. */
  told: Pick<RedactedStep, 'result' | 'error'>
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
  /** Counts of printers; of the step alone unless given. */
  rolls?: Rolls
  timeZone?: string
}

/** A step as the service would give it: defaults filled in, options and auth checked against the schemas. */
export function stepFor(adapter: DestinationAdapter, given: StepOptions): TestStep {
  const heard: TestStep['heard'] = { progress: [], warnings: [], decisions: [], saved: [] }
  const { auth = {}, marker = '0192-test-0', checkpoint = null, assets = {} } = given
  const { experienceId = 'park', owners = new Map() } = given
  const signal = given.signal ?? new AbortController().signal
  const { step, ...told } = redactStep(adapter, {
    options: checked(adapter.options, given.options),
    auth: adapter.auth ? checked(adapter.auth, auth) : {},
    experienceId,
    timeZone: async () => given.timeZone ?? null,
    places: {
      owner: async place => (owners.has(place) ? (owners.get(place) === experienceId ? 'ours' : 'others') : null),
      take: async place => void (owners.has(place) || owners.set(place, experienceId)),
    },
    rolls: given.rolls ?? newRolls(),
    picture: (file, steps) => picture(file, steps),
    outbound: newOutbound({ allowHosts: given.allowHosts ?? ['127.0.0.1', 'localhost'] }),
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

/** Counts in memory, for one delivery at a time. */
export function newRolls(used = new Map<string, number>()): Rolls {
  let counted: { printer: string; copies: number } | null = null
  const add = (printer: string, copies: number) => used.set(printer, (used.get(printer) ?? 0) + copies)
  return {
    read: async printers => printers.map(printer => ({ printer, used: used.get(printer) ?? 0 })),
    async take(printer, copies, most) {
      if (counted) add(counted.printer, -counted.copies)
      counted = null
      if (most !== null && (used.get(printer) ?? 0) + copies > most) return false
      add(printer, copies)
      counted = { printer, copies }
      return true
    },
    async giveBack() {
      if (counted) add(counted.printer, -counted.copies)
      counted = null
    },
    async settle() {
      counted = null
    },
    seen: async () => {},
  }
}

/** As a media child would do it, in this process. */
async function picture(file: MediaFile, steps: Parameters<DeliveryStep['picture']>[1]): Promise<MediaFile> {
  const { fileOf, limits, noTools } = await import('./pictures.ts')
  const { transformers } = await import('#adapters/transformers.ts')
  const facts = file.width === null ? await fileOf(file.path) : file
  const entries = steps({ width: facts.width ?? 0, height: facts.height ?? 0 }).map((each, index) => ({
    ...each,
    index,
    assets: {},
    context: {},
  }))
  const folder = `${file.path}-${randomBytes(4).toString('hex')}`
  await mkdir(folder)
  const request = { kind: 'segment', form: 'image', input: facts, entries, folder, limits, tools: noTools } as const
  return (await runImage({ ...request, threads: 1 }, transformers, () => {})).output
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
