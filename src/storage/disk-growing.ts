// Growing blobs on disk: a file is written from its noted end on, and renamed into the store when it is whole.
import { closeSync, constants, ftruncateSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { failpoint } from '#kit/failpoint.ts'
import { diskProblem, hasCode, makeFolder, syncFile, syncPath, writeAll } from './disk-calls.ts'
import { type GrowingBlobs, type Growth, lost, patient } from './growing-blobs.ts'

/** One write to disk for this many bytes. */
const BUFFER_BYTES = 256 * 1024
/** What may be lost when the process dies: so many bytes, or what came in so many milliseconds. */
const NOTE_BYTES = 4 * 1024 ** 2
const NOTE_MS = 2_000

interface Place {
  folder: string
  /** The file of a complete blob. */
  pathOf(blob: string): string
  /** Makes the folder of that file. */
  ready(blob: string): Promise<void>
  /** Deletes a complete blob; fails if the store is away. */
  remove(blob: string): Promise<void>
}

export function diskGrowing({ folder, pathOf, ready, remove }: Place): GrowingBlobs {
  const growingOf = (blob: string): string => join(folder, blob)

  /** Opens the file to write behind its noted end. What lies there was never told to anybody, and is written over. */
  async function openAt(blob: string, bytes: number): Promise<number> {
    const path = growingOf(blob)
    if (bytes === 0) await makeFolder(folder)
    else if ((sizeOf(path) ?? -1) < bytes) throw lost()
    const file = openSync(path, constants.O_WRONLY | constants.O_CREAT, 0o600)
    try {
      if (bytes === 0) await syncPath(folder)
      return file
    } catch (error) {
      closeSync(file)
      throw error
    }
  }

  async function append(
    blob: string,
    { bytes: start }: Growth,
    source: AsyncIterable<Uint8Array>,
    note: (growth: Growth) => Promise<void>,
    lostLock?: AbortSignal,
  ): Promise<void> {
    const file = await openAt(blob, start)
    let pending: Buffer[] = []
    let pendingBytes = 0
    let written = start
    let noted = start
    let notedAt = performance.now()

    async function write(): Promise<void> {
      lostLock?.throwIfAborted()
      if (pendingBytes === 0) return
      const [chunks, bytes] = [pending, pendingBytes]
      pending = []
      pendingBytes = 0
      await writeAll(file, chunks, written)
      written += bytes
    }
    async function noteWritten(): Promise<void> {
      if (written === noted) return
      await syncFile(file)
      failpoint('append.before')
      await note({ bytes: written, place: null })
      failpoint('append.after')
      noted = written
      notedAt = performance.now()
    }
    try {
      const { chunks, failure } = patient(source, NOTE_MS)
      for await (const chunk of chunks) {
        if (chunk) pending.push(chunk)
        pendingBytes += chunk?.length ?? 0
        const isLate = chunk === null || performance.now() - notedAt >= NOTE_MS
        if (pendingBytes >= BUFFER_BYTES || isLate) await write()
        if (isLate || written - noted >= NOTE_BYTES) await noteWritten()
      }
      await write()
      await noteWritten()
      failure()
    } finally {
      closeSync(file)
    }
  }

  async function complete(blob: string, { bytes }: Growth): Promise<void> {
    const [growing, path] = [growingOf(blob), pathOf(blob)]
    if (sizeOf(growing) === null) {
      // Renamed already, by a process that died before it could say so.
      if (sizeOf(path) === bytes) return
      if (bytes > 0) throw lost()
    }
    const file = await openAt(blob, bytes)
    try {
      ftruncateSync(file, bytes)
      await syncFile(file)
    } finally {
      closeSync(file)
    }
    await ready(blob)
    failpoint('complete.before')
    renameSync(growing, path)
    await syncPath(join(path, '..'))
    failpoint('complete.after')
  }

  async function discard(blob: string): Promise<void> {
    rmSync(growingOf(blob), { force: true })
    await remove(blob)
  }

  return {
    append: (...given) => append(...given).catch(rethrow),
    complete: (...given) => complete(...given).catch(rethrow),
    discard: blob => discard(blob).catch(rethrow),
  }
}

function rethrow(error: unknown): never {
  throw diskProblem(error)
}

function sizeOf(path: string): number | null {
  try {
    return statSync(path).size
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}
