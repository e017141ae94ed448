// What was made of assets alone (an intro in the form of the join) is kept by content, parameters and tool version.
import { createHash } from 'node:crypto'
import { link, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { stableJson } from '#kit/json.ts'
import { digestOf } from '../file/digest-of.ts'
import type { AudioStream, VideoStream } from '../graph/graph.ts'

const MOST_BYTES = 2 * 1024 ** 3

/** The stream as a value: equal for equal content and equal steps, whatever the files are called. */
export async function describe(stream: VideoStream | AudioStream): Promise<unknown> {
  const { origin, ...facts } = stream
  const plain = Object.fromEntries(
    Object.entries(facts).map(([key, value]) => [key, value === Number.POSITIVE_INFINITY ? 'endless' : value]),
  )
  switch (origin.kind) {
    case 'source':
      return { ...plain, source: await digestOf(origin.source.file.path), loop: origin.loop }
    case 'still':
      return { ...plain, still: origin.still.digest, delays: origin.still.delays }
    case 'colour':
      return { ...plain, colour: origin.colour }
    case 'silence':
      return { ...plain, silence: true }
    case 'filters':
      return { ...plain, filters: origin.filters, inputs: await Promise.all(origin.inputs.map(describe)) }
    case 'cut':
      return {
        ...plain,
        input: await describe(origin.input),
        cut: 'span' in origin ? origin.span : { from: origin.from, to: origin.to },
      }
    case 'join':
      return { ...plain, parts: await Promise.all(origin.parts.map(describe)) }
  }
}

export const keyOf = (...parts: unknown[]): string => createHash('sha256').update(stableJson(parts)).digest('hex')

/** Where prepared assets are kept; null keeps none. Keeping is never worth failing for. */
export interface PreparedAssets {
  /** The path of a prepared file, to be read only; null when there is none. */
  take(key: string): Promise<string | null>
  keep(key: string, path: string): Promise<void>
  forget(key: string): Promise<void>
}

export const preparedName = (key: string): string => `prepared-${key}`

/**
 * Kept by the process that gave us the work, since a media child sees nothing but its job. A file is handed over under a name of
 * its own at the top of `folder`, where nobody can lead us elsewhere.
 */
export const preparedBy = (ask: (question: unknown) => Promise<unknown>, folder: string): PreparedAssets => ({
  async take(key) {
    const path = await ask({ take: key })
    return typeof path === 'string' ? path : null
  },
  async keep(key, path) {
    try {
      await link(path, join(folder, preparedName(key)))
      await ask({ keep: key })
    } catch {
      // It is made again the next time.
    }
  },
  async forget(key) {
    await ask({ forget: key })
  },
})

const STALE_MS = 3600_000

/** What was not used for longest goes first; halves of a process that died go too. */
export async function trim(folder: string, mostBytes = MOST_BYTES): Promise<void> {
  const files = await Promise.all(
    (await readdir(folder)).map(async name => {
      const found = await stat(join(folder, name)).catch(() => null)
      return found && { name, bytes: found.size, used: found.mtimeMs }
    }),
  )
  const known = files.filter(file => file !== null)
  for (const { name, used } of known)
    if (name.startsWith('.') && Date.now() - used > STALE_MS) await rm(join(folder, name), { force: true })
  const kept = known.filter(({ name }) => !name.startsWith('.')).sort((a, b) => b.used - a.used)
  let total = 0
  for (const { name, bytes } of kept) {
    total += bytes
    if (total > mostBytes) await rm(join(folder, name), { force: true })
  }
}
