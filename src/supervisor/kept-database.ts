// Keeps the embedded database running: restarts it whenever it dies, on the same port so that open pools find it.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '#kit/log.ts'
import { startEmbedded } from '#postgres/embedded.ts'

interface KeptDatabase {
  url: string
  stop(): Promise<void>
}

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 10_000
const HEALTHY_MS = 30_000

/** `moved` is called when the database had to take another port, which connected processes cannot know. */
export async function keepDatabase(dataFolder: string, log: Log, moved: () => void): Promise<KeptDatabase> {
  let current = await startEmbedded(dataFolder, log)
  let stopping = false

  async function startAgain(pauseMs: number): Promise<void> {
    await sleep(pauseMs)
    if (stopping) return
    try {
      const next = await startEmbedded(dataFolder, log, { port: current.port })
      const sameAddress = next.port === current.port
      current = next
      if (!sameAddress) moved()
    } catch (error) {
      log.error({ err: error }, 'the embedded database does not start; trying again')
      await startAgain(Math.min(pauseMs * 2, LONGEST_PAUSE_MS))
    }
  }

  async function watch(): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; ; ) {
      const since = Date.now()
      await current.ended
      if (stopping) return
      pauseMs = Date.now() - since > HEALTHY_MS ? FIRST_PAUSE_MS : Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
      log.warn('the embedded database ended; starting it again')
      await startAgain(pauseMs)
      if (stopping) return
    }
  }
  const watching = watch()

  return {
    url: current.url,
    async stop() {
      stopping = true
      await current.stop()
      await watching // Waits for a start that is under way,
      await current.stop() // and stops the server which that start brought up.
    },
  }
}
