// SIGTERM, SIGINT and SIGHUP as one wish to stop; a later second one as the wish to stop at once.

// Ctrl+C under npm arrives twice: from the terminal and passed on by npm.
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
