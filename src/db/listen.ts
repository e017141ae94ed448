// One connection that listens for notifications, and reconnects by itself when it breaks.
import pg from 'pg'
import type { Log } from '#kit/log.ts'
import { keepSession } from './kept-session.ts'
import { usualPace } from './pace.ts'

export interface Listener {
  close(): Promise<void>
}

/**
 * `channels`: a handler for each channel's payloads. Use one listener per process: PostgreSQL wakes every listening connection for every
 * channel. `onGap` is called after every (re)connect: notifications before it may be lost.
 */
export function listen(
  url: string,
  channels: Readonly<Record<string, (payload: string) => void>>,
  log: Log,
  onGap: () => void,
  pace = usualPace,
): Promise<Listener> {
  const names = Object.keys(channels)
  const use = {
    name: 'listening',
    pace,
    async begin(client: pg.Client) {
      client.on('notification', ({ channel, payload }) => channels[channel]?.(payload ?? ''))
      await client.query(names.map(name => `listen ${pg.escapeIdentifier(name)}`).join('; '))
      onGap()
    },
    beat: (client: pg.Client) => client.query('select 1'),
  }
  return keepSession(url, log, use, true)
}
