// The client for Node: files are also paths and streams, and results are written straight to disk.
import { createWriteStream, openAsBlob } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import type { Task, TaskGroup } from './api-types.ts'
import type { KeepsakeOptions } from './connection.ts'
import { KeepsakeError } from './errors.ts'
import { type Download, type FileInput, type Opened, openInput } from './files.ts'
import { KeepsakeBase, type RunOptions, type TaskRun } from './keepsake.ts'
import type { GroupInput } from './tasks.ts'

export * from './index.ts'

/** A path, a `file:` URL, a stream of bytes, or what every platform takes. */
export type NodeFile = FileInput | string | URL | AsyncIterable<Uint8Array>

/** Of a stream, which is written to disk before it is sent. */
const MOST_BYTES = 16 * 1024 ** 3

export class Keepsake extends KeepsakeBase<NodeFile> {
  constructor(options: KeepsakeOptions) {
    super(options, openFile)
  }

  /** Runs a configuration on a file and writes the result to a path. */
  async runTo(path: string, file: NodeFile, options: TaskRun<NodeFile>): Promise<Task> {
    const { task, output } = await this.finished({ ...options, file }, options)
    await saveTo(path, output)
    return task
  }

  /** Runs several configurations in order and writes the final file of each to its path; null leaves one out. */
  async runGroupTo(
    paths: readonly (string | null)[],
    input: GroupInput<NodeFile>,
    options: RunOptions = {},
  ): Promise<TaskGroup> {
    if (paths.length !== input.configurations.length)
      throw new KeepsakeError('bad_options', 'paths: must be one for each configuration, or null')
    const { group, outputs } = await this.finishedGroup(input, options)
    for (const [index, output] of outputs.entries()) {
      const path = paths[index]
      if (typeof path === 'string') await saveTo(path, output)
    }
    return group
  }
}

async function openFile(file: NodeFile): Promise<Opened> {
  if (typeof file === 'string' || file instanceof URL) {
    const path = typeof file === 'string' ? file : fileURLToPath(file)
    // Nothing of it is read before it is sent.
    return { blob: new File([await openAsBlob(path)], basename(path)), close: async () => {} }
  }
  if (typeof file === 'object' && file !== null && Symbol.asyncIterator in file) return await collected(file)
  return openInput(file)
}

/** A stream can be read once, but a request may have to be sent again: so it is written to a file first. */
async function collected(stream: AsyncIterable<Uint8Array>): Promise<Opened> {
  const folder = await mkdtemp(join(tmpdir(), 'keepsake-upload-'))
  const close = (): Promise<void> => rm(folder, { recursive: true, force: true })
  try {
    const path = join(folder, 'file')
    await pipeline(stream, bounded, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
    return { blob: await openAsBlob(path), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function* bounded(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const piece of stream) {
    bytes += piece.length
    if (bytes > MOST_BYTES)
      throw new KeepsakeError('bad_options', `file: a stream may have ${MOST_BYTES} bytes at most`)
    yield piece
  }
}

/** Writes a file of the service to a path. What is half-way never has that name. */
export async function saveTo(path: string, download: Download): Promise<void> {
  const partial = `${path}.${process.pid}.${Date.now()}.part`
  try {
    await pipeline(download.chunks(), createWriteStream(partial, { flags: 'wx' }))
    await rename(partial, path)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}
