// One connection that listens for notifications, and connects again by itself when it breaks.
import pg from 'pg'
import type { Log } from '#kit/log.ts'

export interface Listener {
  close(): Promise<void>
}

/**
 * What is to be done with the payloads of each channel. One listener for all of a process: PostgreSQL wakes every connection
 * that listens, to whatever channel. `onGap` is called after every (re)connect: whatever was notified in between is not known.
 */
export async function listen(
  url: string,
  channels: Readonly<Record<string, (payload: string) => void>>,
  log: Log,
  onGap: () => void,
): Promise<Listener> {
  const names = Object.keys(channels)
  let closed = false
  let client: pg.Client | null = null
  let retry: NodeJS.Timeout | null = null

  async function connect(): Promise<void> {
    const next = new pg.Client({ connectionString: url, keepAlive: true })
    next.on('notification', ({ channel, payload }) => channels[channel]?.(payload ?? ''))
    next.on('error', error => log.warn({ err: error }, 'the listening connection broke'))
    next.on('end', () => again())
    await next.connect()
    await next.query(names.map(name => `listen ${pg.escapeIdentifier(name)}`).join('; '))
    if (closed) return next.end()
    client = next
    onGap()
  }

  function again(): void {
    client = null
    if (closed || retry) return
    retry = setTimeout(() => {
      retry = null
      connect().catch(() => again())
    }, 250)
  }

  await connect().catch(again)
  return {
    async close() {
      closed = true
      if (retry) clearTimeout(retry)
      await client?.end()
    },
  }
}
