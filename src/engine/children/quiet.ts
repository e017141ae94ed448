// Lets work be done with no other beside it, as far as that can be had without making the others wait for long.

interface Quiet {
  beside<T>(work: () => Promise<T>): Promise<T>
  /** Others are held back until it is done, but no longer than the limit; and it waits no longer than that for those at work. */
  alone<T>(work: () => Promise<T>): Promise<T>
}

export function newQuiet(mostMs = 10_000): Quiet {
  let working = 0
  let held: Promise<void> | null = null
  let nobody: (() => void) | null = null

  async function counted<T>(work: () => Promise<T>): Promise<T> {
    working++
    try {
      return await work()
    } finally {
      working--
      if (working === 0) nobody?.()
    }
  }

  return {
    async beside(work) {
      while (held) await held
      return counted(work)
    },
    async alone(work) {
      while (held) await held
      const { promise, resolve } = Promise.withResolvers<void>()
      held = promise
      const letGo = (): void => {
        if (held === promise) held = null
        resolve()
      }
      if (working > 0) {
        const waited = Promise.withResolvers<void>()
        nobody = waited.resolve
        const enough = setTimeout(waited.resolve, mostMs)
        await waited.promise
        clearTimeout(enough)
        nobody = null
      }
      const timer = setTimeout(letGo, mostMs)
      try {
        return await counted(work)
      } finally {
        clearTimeout(timer)
        letGo()
      }
    },
  }
}
