// Treats SIGTERM, SIGINT and SIGHUP as one request to stop, and a later second signal as a request to stop at once.

// Under npm, Ctrl+C arrives twice: from the terminal and from npm.
const SAME_WISH_MS = 1_000

export function onStopSignal(stop: () => void, stopAtOnce: () => void): void {
  let firstAt: number | undefined
  const handle = (): void => {
    if (firstAt === undefined) {
      firstAt = Date.now()
      stop()
    } else if (Date.now() - firstAt > SAME_WISH_MS) stopAtOnce()
  }
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, handle)
}
