// Connections that an answered request left open, for the next one to the same server.
import type { Client } from 'undici'

interface KeptConnections {
  /** One that is open still, if there is any. */
  take(origin: string): Client | undefined
  /** Closes it instead if it is too old, or closed already. */
  keep(origin: string, client: Client): void
  close(): void
}

/** A name may lead elsewhere by then. */
const OLDEST_MS = 60_000

export function keptConnections(): KeptConnections {
  const idle = new Map<string, Client[]>()
  const since = new WeakMap<Client, number>()
  let closed = false

  function drop(origin: string, client: Client): void {
    const others = idle.get(origin)?.filter(other => other !== client) ?? []
    if (others.length === 0) idle.delete(origin)
    else idle.set(origin, others)
  }

  return {
    take(origin) {
      // The latest: those of a burst that are no longer needed come to their end.
      const client = idle.get(origin)?.at(-1)
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
      idle.set(origin, [...(idle.get(origin) ?? []), client])
    },
    close() {
      closed = true
      for (const clients of idle.values()) for (const client of clients) void client.destroy()
      idle.clear()
    },
  }
}
