// Shares work: it is done once for all who ask for the same at the same time, and aborted when the last of them has gone.

export interface SharedWork<T> {
  /** Joins the work under way for this key, or begins it. Fails with the reason of `signal` when that says that the asker has gone. */
  join(key: string, begin: (stop: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T>
  /** Aborts all work and waits for its end. */
  close(reason: Error): Promise<void>
}

interface Work<T> {
  result: Promise<T>
  stop: AbortController
  askers: number
}

/** `keep` is given each result before those who asked for it. */
export function newSharedWork<T>(keep: (key: string, result: T) => void): SharedWork<T> {
  const underWay = new Map<string, Work<T>>()

  function start(key: string, begin: (stop: AbortSignal) => Promise<T>): Work<T> {
    const stop = new AbortController()
    const work: Work<T> = { result: begin(stop.signal), stop, askers: 0 }
    underWay.set(key, work)
    const end = (): void => {
      if (underWay.get(key) === work) underWay.delete(key)
    }
    work.result.then(result => {
      keep(key, result)
      end()
    }, end)
    return work
  }

  return {
    async join(key, begin, signal) {
      const work = underWay.get(key) ?? start(key, begin)
      const { promise: gone, reject } = Promise.withResolvers<never>()
      const leave = (): void => reject(signal.reason)
      work.askers++
      signal.addEventListener('abort', leave)
      try {
        signal.throwIfAborted()
        return await Promise.race([work.result, gone])
      } finally {
        signal.removeEventListener('abort', leave)
        work.askers--
        if (work.askers === 0 && underWay.get(key) === work) {
          underWay.delete(key)
          work.stop.abort(signal.reason)
        }
      }
    },
    async close(reason) {
      const works = [...underWay.values()]
      for (const { stop } of works) stop.abort(reason)
      await Promise.allSettled(works.map(({ result }) => result))
    },
  }
}
