// One connection that listens for notifications, and connects again by itself when it breaks.
import pg from 'pg'
import type { Log } from '#kit/log.ts'
import { keepSession } from './kept-session.ts'
import { usualPace } from './pace.ts'

export interface Listener {
  close(): Promise<void>
}

/**
 * What is to be done with the payloads of each channel. One listener for all of a process: PostgreSQL wakes every connection
 * that listens, to whatever channel. `onGap` is called after every (re)connect: whatever was notified in between is not known.
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
