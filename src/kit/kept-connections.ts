// Connections that an answered request left open, for the next one to the same server.
import type { Client } from 'undici'

export interface KeptConnections {
  /** One that is open still, if there is any. */
  take(origin: string): Client | undefined
  /** Closes it instead if it is too old, or closed already. */
  keep(origin: string, client: Client): void
  close(): void
}

/** A name may lead elsewhere by then. */
const OLDEST_MS = 60_000

export function keptConnections(): KeptConnections {
  const idle = new Map<string, Set<Client>>()
  const since = new WeakMap<Client, number>()
  let closed = false

  function drop(origin: string, client: Client): void {
    const clients = idle.get(origin)
    clients?.delete(client)
    if (clients?.size === 0) idle.delete(origin)
  }

  return {
    take(origin) {
      const client = idle.get(origin)?.values().next().value
      if (client) drop(origin, client)
      return client
    },
    keep(origin, client) {
      const begun = since.get(client)
      if (begun === undefined) {
        since.set(client, Date.now())
        // The server closes it, or nobody wants it for some seconds.
        client.once('disconnect', () => {
          drop(origin, client)
          void client.destroy()
        })
      }
      const isOld = begun !== undefined && Date.now() - begun > OLDEST_MS
      if (closed || isOld || !client.stats.connected) return void client.destroy()
      const clients = idle.get(origin) ?? new Set()
      idle.set(origin, clients.add(client))
    },
    close() {
      closed = true
      for (const clients of idle.values()) for (const client of clients) void client.destroy()
      idle.clear()
    },
  }
}
