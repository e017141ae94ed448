// Serves the files of melted entries: rendered on request, once for all who ask at the same time, and cached for a while.
import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { WholeTask } from '#db/tasks/task-rows.ts'
import { Problem } from '#kit/errors.ts'
import type { Loaded } from '../entry/loaded.ts'
import { type Rendered, renderMelted } from './render-melted.ts'

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

interface Work {
  file: Promise<Rendered>
  stop: AbortController
  askers: number
}

/** How long a file is cached, and how much all of them may take. The newest is cached whatever its size. */
const CACHED_MS = 10 * 60_000
const CACHED_BYTES = 512 * 1024 ** 2

export function newMeltedOutputs(services: Loaded['services']): MeltedOutputs {
  const works = new Map<string, Work>()
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

  function begin(key: string, { task, chain, index, place }: Asked): Work {
    const stop = new AbortController()
    const make = async (): Promise<Rendered> => {
      using _place = await place(stop.signal)
      return await renderMelted(services, task, chain, index, stop.signal)
    }
    const work: Work = { file: make(), stop, askers: 0 }
    works.set(key, work)
    work.file.then(
      file => {
        keep(key, file)
        if (works.get(key) === work) works.delete(key)
      },
      () => {
        if (works.get(key) === work) works.delete(key)
      },
    )
    return work
  }

  /** Waits until the file is ready, or `signal` says that the asker has gone. */
  async function waitFor(key: string, work: Work, signal: AbortSignal): Promise<Rendered> {
    const { promise, reject } = Promise.withResolvers<never>()
    const leave = (): void => reject(signal.reason)
    work.askers++
    signal.addEventListener('abort', leave)
    try {
      signal.throwIfAborted()
      return await Promise.race([work.file, promise])
    } finally {
      signal.removeEventListener('abort', leave)
      work.askers--
      if (work.askers === 0) {
        work.stop.abort(signal.reason)
        if (works.get(key) === work) works.delete(key)
      }
    }
  }

  return {
    async of(asked, signal) {
      const { task, chain, index } = asked
      // Each run may have another file and other extras.
      const key = `${task.task_id} ${chain} ${index} ${task.run}`
      const file = cache.get(key) ?? (await waitFor(key, works.get(key) ?? begin(key, asked), signal))
      const { path, folder: _folder, ...facts } = file
      return { ...facts, read: range => readFrom(path, range) }
    },
    async close() {
      for (const work of works.values()) work.stop.abort(new Problem('unavailable', 'The service is stopping.'))
      await Promise.allSettled([...works.values()].map(work => work.file))
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
