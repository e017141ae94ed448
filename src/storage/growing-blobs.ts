// The interface of blobs that grow: they are received in several requests, by any process, and can be read only when they are whole.
import { Problem } from '#kit/errors.ts'
import type { JsonObject } from '#kit/json.ts'

/** How far a growing blob has come. Its owner keeps this and hands it back each time. */
export interface Growth {
  /** Stored durably. The store may hold more, which is dropped when the blob goes on growing. */
  bytes: number
  /** What the store needs to know besides; null: nothing. */
  place: JsonObject | null
}

export interface GrowingBlobs {
  /**
   * Writes the source behind the noted bytes. `note` is awaited now and then, and at the end, when the bytes that it tells of are durable. A
   * source that breaks loses nothing of what it gave: that is stored and noted, then its error is thrown. Only one caller at a time may
   * append to a blob. One that does so no longer aborts `lost`, and what it has in hand is dropped. What it was just writing may still end
   * late: that changes no byte, as long as the next caller is given the same file.
   */
  append(
    blob: string,
    from: Growth,
    source: AsyncIterable<Uint8Array>,
    note: (growth: Growth) => Promise<void>,
    lost?: AbortSignal,
  ): Promise<void>
  /** Makes it a blob like any other, without a copy of its bytes. Can be called again after an interruption. */
  complete(blob: string, growth: Growth): Promise<void>
  /** Removes it, whether it is complete or not. Does not fail when it does not exist. */
  discard(blob: string, growth: Growth, signal?: AbortSignal): Promise<void>
}

export const lost = (cause?: unknown): Problem =>
  new Problem('gone', 'The bytes of this upload are no longer kept. Begin a new one.', { cause })

interface Patient {
  /** The chunks of the source, and null whenever it gives nothing for a while. Ends when the source ends or breaks. */
  chunks: AsyncGenerator<Buffer | null>
  /** Throws the error that the source broke with, if it did. */
  failure(): void
}

/** Holds an error of the source back until all that it gave is stored. */
export function patient(source: AsyncIterable<Uint8Array>, silentMs: number): Patient {
  let broken: { error: unknown } | null = null
  async function* read(): AsyncGenerator<Buffer | null> {
    const iterator = source[Symbol.asyncIterator]()
    for (;;) {
      const next = iterator.next().catch(error => {
        broken = { error }
        return { done: true as const, value: undefined }
      })
      for (;;) {
        const step = await orSilent(next, silentMs)
        if (step?.done) return
        yield step && Buffer.from(step.value.buffer, step.value.byteOffset, step.value.byteLength)
        if (step) break
      }
    }
  }
  return {
    chunks: read(),
    failure() {
      if (broken) throw broken.error
    },
  }
}

async function orSilent<T>(next: Promise<T>, silentMs: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined
  const silence = new Promise<null>(resolve => {
    timer = setTimeout(resolve, silentMs, null)
  })
  return Promise.race([next, silence]).finally(() => clearTimeout(timer))
}
