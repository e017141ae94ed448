// Counts how long a run works. Waiting for a media place or for the next attempt does not count.

export interface Clock {
  /** Starts work; call the returned function when it rests. Parallel work counts once. */
  start(): () => void
  /** Seconds of work since the clock was made. */
  spent(): number
  stop(): void
}

/** `left`: seconds of work until `timeUp` is called. */
export function newClock(left: number, timeUp: () => void): Clock {
  let working = 0
  let since = 0
  let total = 0
  let timer: NodeJS.Timeout | undefined
  const spent = (): number => total + (working > 0 ? (performance.now() - since) / 1000 : 0)

  return {
    start() {
      if (working++ === 0) {
        since = performance.now()
        timer = setTimeout(timeUp, Math.max(0, left - total) * 1000)
      }
      let rests = false
      return () => {
        if (rests) return
        rests = true
        if (working === 1) {
          total = spent()
          clearTimeout(timer)
        }
        working--
      }
    },
    spent,
    stop: () => clearTimeout(timer),
  }
}
