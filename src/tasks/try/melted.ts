// Serves the files of melted entries: rendered on request, once for all who ask at the same time, and cached for a while.
import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { WholeTask } from '#db/tasks/task-rows.ts'
import { Problem } from '#kit/errors.ts'
import type { Loaded } from '../entry/loaded.ts'
import { type Rendered, renderMelted } from './render-melted.ts'
import { newSharedWork } from './shared-work.ts'

export interface MeltedOutputs {
  /** `asked.place` is taken before the file is rendered. The work is aborted when the last one who asked has gone. */
  of(asked: Asked, signal: AbortSignal): Promise<MeltedFile>
  close(): Promise<void>
}

interface Asked {
  task: WholeTask
  /** Index of the chain. */
  chain: number
  index: number
  place(signal: AbortSignal): Promise<Disposable>
}

interface MeltedFile extends Omit<Rendered, 'path' | 'folder'> {
  /** Both ends of the range are included. */
  read(range?: { start: number; end: number }): Promise<Readable>
}

/** How long a file is cached, and how much all of them may take. The newest is cached whatever its size. */
const CACHED_MS = 10 * 60_000
const CACHED_BYTES = 512 * 1024 ** 2

export function newMeltedOutputs(services: Loaded['services']): MeltedOutputs {
  const works = newSharedWork<Rendered>(keep)
  /** The newest is last. */
  const cache = new Map<string, Rendered>()

  function forget(key: string, file: Rendered): void {
    if (cache.get(key) !== file) return
    cache.delete(key)
    // Readers have the file open and can finish.
    void file.folder[Symbol.asyncDispose]()
  }

  function keep(key: string, file: Rendered): void {
    cache.set(key, file)
    setTimeout(() => forget(key, file), CACHED_MS).unref()
    let bytes = [...cache.values()].reduce((sum, each) => sum + each.bytes, 0)
    for (const [oldKey, old] of cache) {
      if (bytes <= CACHED_BYTES || old === file) break
      bytes -= old.bytes
      forget(oldKey, old)
    }
  }

  return {
    async of({ task, chain, index, place }, signal) {
      // Each run may have another file and other extras.
      const key = `${task.task_id} ${chain} ${index} ${task.run}`
      const make = async (stop: AbortSignal): Promise<Rendered> => {
        using _place = await place(stop)
        return await renderMelted(services, task, chain, index, stop)
      }
      const file = cache.get(key) ?? (await works.join(key, make, signal))
      const { path, folder: _folder, ...facts } = file
      return { ...facts, read: range => readFrom(path, range) }
    },
    async close() {
      await works.close(new Problem('unavailable', 'The service is stopping.'))
      for (const [key, file] of cache) forget(key, file)
    },
  }
}

async function readFrom(path: string, range?: { start: number; end: number }): Promise<Readable> {
  try {
    return (await open(path)).createReadStream(range)
  } catch (error) {
    throw new Problem('unavailable', 'The file was just put away. Ask again.', { cause: error, retryAfterSeconds: 1 })
  }
}
