// Disk cache of clips made from assets only (e.g. an intro already in the join's format), keyed by content, options and ffmpeg version.
import { createHash } from 'node:crypto'
import { link, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { stableJson } from '#kit/json.ts'
import { digestOf } from '../file/digest-of.ts'
import type { AudioStream, VideoStream } from '../graph/graph.ts'

const MOST_BYTES = 2 * 1024 ** 3

/** Describes a stream as a value: equal content and equal steps give equal values, whatever the files are called. */
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
    case 'made':
      return { ...plain, made: await digestOf(origin.path) }
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

/** Store of prepared assets. A failure to store never fails the job. */
export interface PreparedAssets {
  /** Path of a prepared file, for reading only; null when there is none. */
  take(key: string): Promise<string | null>
  keep(key: string, path: string): Promise<void>
  forget(key: string): Promise<void>
}

export const preparedName = (key: string): string => `prepared-${key}`

/**
 * The parent process owns the store, because a media child sees nothing but its job. The child hands a file over under a separate
 * name directly in `folder`, where no link can lead the parent elsewhere.
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
      // Without the stored file the next job makes the clip again.
    }
  },
  async forget(key) {
    await ask({ forget: key })
  },
})

const STALE_MS = 3600_000

/** Removes the least recently used files above the size limit, and unfinished files of processes that died. */
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
