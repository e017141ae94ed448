// Pauses and time limits that an AbortSignal ends.

/** Resolves after the time; throws the signal's reason when it is aborted before. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}

/** The growing pause before a further attempt, with jitter so that many clients do not come back at once. */
export const backoffMs = (attempt: number, firstMs = 500, mostMs = 20_000): number =>
  Math.min(mostMs, firstMs * 2 ** attempt) * (0.5 + Math.random() / 2)

export interface Limit {
  signal: AbortSignal
  /** Whether the time was over; false when the caller gave up. */
  isOver(): boolean
  /** Lets the time begin again. */
  restart(): void
  /** No time limit any more; the caller's signal still counts. */
  stop(): void
  /** Frees everything; call it whatever happened. */
  end(): void
}

/** A signal that aborts with the caller's, or when nothing restarts it for so long. */
export function limit(ms: number, outer?: AbortSignal): Limit {
  const inner = new AbortController()
  let over = false
  let timer: ReturnType<typeof setTimeout>
  const expire = (): void => {
    over = true
    inner.abort(new DOMException('It took too long.', 'TimeoutError'))
  }
  const pass = (): void => inner.abort(outer?.reason)
  const restart = (): void => {
    clearTimeout(timer)
    // Timers can't count further than this many milliseconds.
    timer = setTimeout(expire, Math.min(ms, 2 ** 31 - 1))
  }
  if (outer?.aborted) pass()
  outer?.addEventListener('abort', pass, { once: true })
  restart()
  return {
    signal: inner.signal,
    isOver: () => over,
    restart,
    stop: () => clearTimeout(timer),
    end() {
      clearTimeout(timer)
      outer?.removeEventListener('abort', pass)
    },
  }
}
