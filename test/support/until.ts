// Every wait of the tests: it has an end, and says then what it waited for.
import type { EventEmitter } from 'node:events'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

/** Long enough for a busy machine, short enough that a run with a fault still ends. */
export const WAIT_MS = 120_000

const inVain = (what: string, waitMs: number, cause?: unknown): Error =>
  new Error(`waited ${waitMs / 1000} s in vain until ${what}`, cause === undefined ? {} : { cause })

/** Looks again and again at what only the outside shows; answers what was found. */
export async function until<T>(
  what: string,
  look: () => T | undefined | false | null | Promise<T | undefined | false | null>,
  waitMs = WAIT_MS,
  everyMs = 50,
): Promise<T> {
  const limit = Date.now() + waitMs
  for (;;) {
    const left = Math.max(1, limit - Date.now())
    // A look that hangs is no reason to wait longer.
    const found = await soon(what, Promise.resolve(look()), left + everyMs)
    if (found) return found
    if (Date.now() > limit) throw inVain(what, waitMs)
    await sleep(everyMs)
  }
}

/** What a promise comes to, unless that takes too long. */
export async function soon<T>(what: string, promise: PromiseLike<T>, waitMs = WAIT_MS): Promise<T> {
  const over = Promise.withResolvers<never>()
  // Every request of every test waits here: a sleep that is called off would make two errors each time.
  const timer = setTimeout(() => over.reject(inVain(what, waitMs)), waitMs)
  try {
    return await Promise.race([promise, over.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** The next event of that name, with what it carries; an `error` event ends the wait, too. */
export async function event(
  what: string,
  source: EventEmitter,
  name: string,
  waitMs = WAIT_MS,
  // biome-ignore lint/suspicious/noExplicitAny: as `once` of Node answers it
): Promise<any[]> {
  const signal = AbortSignal.timeout(waitMs)
  return once(source, name, { signal }).catch(error => {
    throw signal.aborted ? inVain(what, waitMs, error) : error
  })
}

/** Reads a stream of text until it has said something; answers all of it so far. */
export async function said(
  what: string,
  stream: AsyncIterator<string> | ReadableStreamDefaultReader<string>,
  enough: (text: string) => boolean,
  waitMs = WAIT_MS,
): Promise<string> {
  const limit = Date.now() + waitMs
  const next = () => ('read' in stream ? stream.read() : stream.next())
  for (let text = ''; ; ) {
    const { value, done } = await soon(what, next(), Math.max(1, limit - Date.now()))
    text += value ?? ''
    if (enough(text)) return text
    if (done) throw new Error(`the stream ended before ${what}; it said ${text}`)
  }
}
