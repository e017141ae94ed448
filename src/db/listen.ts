// One connection that listens for notifications, and connects again by itself when it breaks.
import pg from 'pg'
import type { Log } from '#kit/log.ts'

export interface Listener {
  close(): Promise<void>
}

/** `onGap` is called after every (re)connect: whatever was notified in between is not known. */
export async function listen(
  url: string,
  channel: string,
  log: Log,
  onMessage: (payload: string) => void,
  onGap: () => void,
): Promise<Listener> {
  let closed = false
  let client: pg.Client | null = null
  let retry: NodeJS.Timeout | null = null

  async function connect(): Promise<void> {
    const next = new pg.Client({ connectionString: url, keepAlive: true })
    next.on('notification', message => onMessage(message.payload ?? ''))
    next.on('error', error => log.warn({ err: error, channel }, 'the listening connection broke'))
    next.on('end', () => again())
    await next.connect()
    await next.query(`listen ${pg.escapeIdentifier(channel)}`)
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

  await connect()
  return {
    async close() {
      closed = true
      if (retry) clearTimeout(retry)
      await client?.end()
    },
  }
}
