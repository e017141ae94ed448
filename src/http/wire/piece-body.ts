// Reads the body of a request that appends to an upload, and can be told to stop at any time.
import type { IncomingMessage } from 'node:http'
import { Problem } from '#kit/errors.ts'

export interface PieceBody {
  chunks: AsyncGenerator<Buffer>
  /** How long the client has sent nothing although we wait for it. */
  silentMs(): number
  /** Ends `chunks` with this error. The rest of the body can then be read by somebody else. */
  stop(reason: Error): void
}

/** A client that sends nothing for this long is gone. */
const STALLED_MS = 60_000

const endedEarly = (cause?: unknown): Problem =>
  new Problem('bad_request', 'The request ended before its body was complete. Ask with HEAD where to go on.', { cause })

export function pieceBody(raw: IncomingMessage, stalledMs = STALLED_MS): PieceBody {
  const arrived: Buffer[] = []
  let failure: Error | null = null
  let ended = false
  let waitingSince: number | null = null
  let wake = (): void => {}

  function stop(reason: Error): void {
    failure ??= reason
    wake()
  }
  const listeners = {
    data(chunk: Buffer) {
      arrived.push(chunk)
      raw.pause()
      wake()
    },
    end() {
      ended = true
      wake()
    },
    error: (error: Error) => stop(endedEarly(error)),
    close: () => stop(endedEarly()),
  }

  async function* read(): AsyncGenerator<Buffer> {
    for (const [event, listener] of Object.entries(listeners)) raw.on(event, listener)
    try {
      for (;;) {
        const chunk = arrived.shift()
        if (chunk) yield chunk
        else if (ended) return
        else if (failure) throw failure
        else {
          if (raw.readableEnded) return
          if (raw.destroyed) throw endedEarly()
          await more()
        }
      }
    } finally {
      for (const [event, listener] of Object.entries(listeners)) raw.off(event, listener)
    }
  }

  async function more(): Promise<void> {
    const woken = new Promise<void>(resolve => {
      wake = resolve
    })
    waitingSince = performance.now()
    const stalled = setTimeout(() => stop(endedEarly()), stalledMs)
    raw.resume()
    await woken
    clearTimeout(stalled)
    waitingSince = null
  }

  return {
    chunks: read(),
    silentMs: () => (waitingSince === null ? 0 : performance.now() - waitingSince),
    stop,
  }
}
