// Stores blobs as files in a folder: written aside, synced, then renamed into place, so nobody ever sees half a file.
import { accessSync, createReadStream, linkSync, lstatSync, renameSync } from 'node:fs'
import { access, open, opendir, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { isProblem } from '#kit/errors.ts'
import { failpoint } from '#kit/failpoint.ts'
import { isId, newId } from '#kit/ids.ts'
import { checkByProbe, gone, newTally, shardedPath } from './blob.ts'
import type { BlobInfo, Blobs, HashedFile, PutFileOptions, PutOptions, Stored, StoredWithHead } from './blobs.ts'
import { diskProblem, hasCode, makeFolder, syncFile, syncPath, withFile, writeAll } from './disk-calls.ts'
import { diskGrowing } from './disk-growing.ts'
import { isLeftover, ownMark } from './process-mark.ts'

/** One write to disk per MiB instead of one per network packet. */
const BUFFER_BYTES = 1024 ** 2

async function* gathered(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer[]> {
  let chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of source) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes < BUFFER_BYTES) continue
    yield chunks
    chunks = []
    bytes = 0
  }
  if (bytes > 0) yield chunks
}

/** `make`: whether to create a missing store. A store that held files before must not be created again: its disk may come back. */
export async function diskBlobs(folder: string, make = true): Promise<Blobs> {
  const mark = await ownMark()
  const unfinished = join(folder, 'unfinished')
  const shards = new Map<string, Promise<void>>()
  const pathOf = (blob: string): string => join(folder, shardedPath(blob))
  const asideOf = (blob: string): string => join(unfinished, `${mark}.${blob}`)

  /** Creates a shard once. The folder is durable before any file lies in it. */
  function shardReady(shard: string): Promise<void> {
    const made = shards.get(shard) ?? makeFolder(shard)
    shards.set(shard, made)
    made.catch(() => shards.delete(shard))
    return made
  }

  /** Runs `write`, which writes `asideOf(blob)`, then moves the file into place. After a failure nothing is left. */
  async function keep(blob: string, write: () => Promise<void>): Promise<void> {
    try {
      await write()
      const path = pathOf(blob)
      await shardReady(dirname(path))
      failpoint('blob.before')
      renameSync(asideOf(blob), path)
      await syncPath(dirname(path))
      failpoint('blob.after')
    } catch (error) {
      for (const path of [asideOf(blob), pathOf(blob)]) await rm(path, { force: true }).catch(() => {})
      throw error
    }
  }

  async function put(source: AsyncIterable<Uint8Array>, options: PutOptions = {}): Promise<StoredWithHead> {
    const blob = newId()
    const tally = newTally(blob, options)
    try {
      await keep(blob, () =>
        withFile(asideOf(blob), 'wx', async file => {
          for await (const chunks of gathered(tally.through(source))) await writeAll(file, chunks)
          await syncFile(file)
        }),
      )
      return tally.total()
    } catch (error) {
      throw tally.failure() ?? diskProblem(error)
    }
  }

  async function putFile({ path, bytes, sha256 }: HashedFile, options: PutFileOptions = {}): Promise<Stored> {
    // A link to a link would keep a path that somebody else chose.
    if (!lstatSync(path).isFile()) throw new Error('only a plain file can be kept')
    const blob = newId()
    try {
      linkSync(path, asideOf(blob))
    } catch (error) {
      if (!hasCode(error, 'EXDEV', 'EPERM', 'ENOTSUP', 'EMLINK')) throw diskProblem(error)
      return put(createReadStream(path, { highWaterMark: BUFFER_BYTES }), options)
    }
    let noted = false
    try {
      await keep(blob, async () => {
        options.signal?.throwIfAborted()
        await options.announce?.(blob)
        noted = true
        await syncPath(asideOf(blob))
      })
      return { blob, bytes, sha256 }
    } catch (error) {
      throw noted ? diskProblem(error) : error
    }
  }

  /**
   * A missing blob is gone, unless the whole store is away: a disk that is not mounted looks the same. The disk may come back between the
   * look at the blob and the look at the store, so a blob is gone only when both looks say so twice.
   */
  async function withBlobPath<T>(blob: string, look: (path: string) => T | Promise<T>): Promise<T> {
    for (let isSure = false; ; isSure = true) {
      try {
        return await look(pathOf(blob))
      } catch (error) {
        const isMissing = hasCode(error, 'ENOENT') && (await isThere())
        if (!isMissing) throw diskProblem(error)
        if (isSure) throw gone(error)
      }
    }
  }

  const isThere = (): Promise<boolean> =>
    access(unfinished).then(
      () => true,
      () => false,
    )

  async function read(blob: string, range?: { start: number; end: number }): Promise<Readable> {
    const file = await withBlobPath(blob, path => open(path))
    return file.createReadStream({ ...range, highWaterMark: BUFFER_BYTES / 4 })
  }

  function local(blob: string): Promise<string> {
    return withBlobPath(blob, path => {
      accessSync(path)
      return path
    })
  }

  /** A blob that is not there is deleted. One in a store that is away is not: its row must stay, or the file would lie there for ever. */
  async function remove(blob: string): Promise<void> {
    await withBlobPath(blob, path => rm(path)).catch(error => {
      if (!isProblem(error, 'gone')) throw error
    })
  }

  async function* list(): AsyncGenerator<BlobInfo> {
    for (const shard of await readdir(folder)) {
      if (shard.length !== 2) continue
      for await (const { name } of await opendir(join(folder, shard))) {
        const facts = isId(name) ? await stat(join(folder, shard, name)).catch(() => null) : null
        if (facts) yield { blob: name, bytes: facts.size, modifiedAt: facts.mtime }
      }
    }
  }

  async function sweep(): Promise<number> {
    let swept = 0
    for (const name of await readdir(unfinished)) {
      const path = join(unfinished, name)
      const facts = await stat(path).catch(() => null)
      if (facts === null || !(await isLeftover(name, facts.mtime))) continue
      await rm(path, { force: true })
      swept++
    }
    return swept
  }

  if (make) await makeFolder(unfinished)
  const blobs: Blobs = {
    put,
    putFile,
    read,
    local,
    delete: remove,
    list,
    sweep,
    check: () => checkByProbe(blobs),
    growing: diskGrowing({
      folder: join(folder, 'growing'),
      pathOf,
      ready: blob => shardReady(dirname(pathOf(blob))),
      remove,
    }),
  }
  return blobs
}
