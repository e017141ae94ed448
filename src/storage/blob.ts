// Shared by both stores: the path of a blob, counting and hashing of its bytes, and the error for a missing blob.
import { createHash } from 'node:crypto'
import { Problem } from '#kit/errors.ts'
import { isId } from '#kit/ids.ts'
import type { Blobs, PutOptions, StoredWithHead } from './blobs.ts'

/** Bytes that type detection looks at, with a margin. */
export const HEAD_BYTES = 4100

interface Tally {
  /** Counts, hashes and limits the bytes that pass. Calls `announce` at the end, so no store can finish before it. */
  through(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer>
  /** The totals of what has passed. Call it only once. */
  total(): StoredWithHead
  /** The error from before the bytes reached the store: of the source, the limit, `announce` or the signal. */
  failure(): unknown
}

export function newTally(blob: string, options: PutOptions): Tally {
  const { maxBytes = Number.POSITIVE_INFINITY, announce, signal } = options
  const hash = createHash('sha256')
  const head: Buffer[] = []
  let bytes = 0
  let failure: unknown

  function count(piece: Uint8Array): Buffer {
    const chunk = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
    // A copy, because a slice would keep the whole chunk in memory.
    if (bytes < HEAD_BYTES) head.push(Buffer.from(chunk.subarray(0, HEAD_BYTES - bytes)))
    bytes += chunk.length
    if (bytes > maxBytes) throw new Problem('too_large', `A file may have ${maxBytes} bytes at most.`)
    hash.update(chunk)
    return chunk
  }

  return {
    async *through(source) {
      try {
        for await (const piece of abortable(source, signal)) yield count(piece)
        await announce?.(blob)
      } catch (error) {
        failure = error
        throw error
      }
    },
    total: () => ({ blob, bytes, sha256: hash.digest('hex'), head: Buffer.concat(head) }),
    failure: () => failure ?? (signal?.aborted ? signal.reason : undefined),
  }
}

/** Throws the signal's reason as soon as it fires, even while the source hangs. */
async function* abortable<T>(source: AsyncIterable<T>, signal: AbortSignal | undefined): AsyncGenerator<T> {
  if (signal === undefined) return yield* source
  const iterator = source[Symbol.asyncIterator]()
  let fail: (reason: unknown) => void = () => {}
  const onAbort = (): void => fail(signal.reason)
  signal.addEventListener('abort', onAbort)
  try {
    for (;;) {
      const step = await new Promise<IteratorResult<T>>((resolve, reject) => {
        fail = reject
        if (signal.aborted) reject(signal.reason)
        else iterator.next().then(resolve, reject)
      })
      if (step.done) return
      yield step.value
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    // Not awaited: a generator that hangs ends only when it is woken.
    iterator.return?.().catch(() => {})
  }
}

/** 256 folders by the end of the id: a UUID v7 begins with the time and ends randomly. */
export function shardedPath(blob: string): string {
  if (!isId(blob)) throw new Error('not the id of a blob')
  return `${blob.slice(-2)}/${blob}`
}

export const gone = (cause?: unknown): Problem => new Problem('gone', 'The file is no longer kept.', { cause })

export async function checkByProbe(blobs: Blobs): Promise<void> {
  const probe = Buffer.from('keepsake probe')
  const { blob } = await blobs.put(oneChunk(probe))
  try {
    const back = Buffer.concat(await (await blobs.read(blob)).toArray())
    if (!back.equals(probe)) throw new Problem('unavailable', 'The file store gave back other bytes than were written.')
  } finally {
    await blobs.delete(blob)
  }
}

async function* oneChunk(chunk: Buffer): AsyncGenerator<Buffer> {
  yield chunk
}
