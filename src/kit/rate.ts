// Counts events by key in windows of time that begin with the first event of a key. The number of keys is bounded.

export interface Rate {
  /** Counts one. Answers the seconds to wait if that is one too many, else 0. */
  count(key: string): number
  /** The seconds to wait if one more would be too many, else 0. */
  over(key: string): number
}

interface Window {
  since: number
  amount: number
}

const MAX_KEYS = 10_000

export function newRate(most: number, windowMs: number, maxKeys = MAX_KEYS): Rate {
  // In the order in which the windows began, so the first is the oldest.
  const windows = new Map<string, Window>()

  function current(key: string, now: number): Window | undefined {
    const window = windows.get(key)
    if (window && now - window.since < windowMs) return window
    windows.delete(key)
    return undefined
  }

  function open(key: string, now: number): Window {
    const oldest = windows.keys().next().value
    if (windows.size >= maxKeys && oldest !== undefined) windows.delete(oldest)
    const window = { since: now, amount: 0 }
    windows.set(key, window)
    return window
  }

  const wait = ({ since }: Window, now: number): number => Math.max(1, Math.ceil((since + windowMs - now) / 1000))

  return {
    over(key) {
      const now = Date.now()
      const window = current(key, now)
      return window && window.amount >= most ? wait(window, now) : 0
    },
    count(key) {
      const now = Date.now()
      const window = current(key, now) ?? open(key, now)
      if (window.amount >= most) return wait(window, now)
      window.amount++
      return 0
    },
  }
}
