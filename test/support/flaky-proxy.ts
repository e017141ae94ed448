// A TCP relay in front of a real server that can cut connections after so many bytes, swallow answers or be gone.
import { connect, createServer, type Socket } from 'node:net'
import { freePort } from './free-port.ts'
import { event } from './until.ts'

export interface FlakyProxy {
  port: number
  /** Connections are reset once this many bytes went to the server, counted over all of them; null: never. */
  cutAfter: number | null
  /** Counts of bytes that went to the server, rising: at each of them the connection that sends is reset, once. */
  cutsAt: number[]
  /** Counts of the same kind: once there, the next answer is dropped and its connection reset, once for each. */
  swallowsAt: number[]
  /** Once this many bytes went to the server, its answers are dropped and connections reset; null: never. */
  swallowFrom: number | null
  /** Once this many bytes went to the server, everything stands still; null: never. */
  holdAfter: number | null
  /** So long a new connection is kept waiting before it reaches the server. */
  delayMs: number
  /** Bytes that went to the server so far. */
  sent(): number
  connections(): number
  /** Connections that are open go dead without a word to either side, as when a firewall forgets them; new ones work. */
  forget(): void
  /** Nobody listens any more: connections are refused. */
  down(): Promise<void>
  up(): Promise<void>
  stop(): Promise<void>
}

/** So long a server keeps a forgotten connection whose other end is gone. */
const FORGOTTEN_MS = 20_000

export async function startProxy(target: { host?: string; port: number }): Promise<FlakyProxy> {
  const sockets = new Set<Socket>()
  const dead = new WeakSet<Socket>()
  let sent = 0
  let connections = 0
  const server = createServer({ noDelay: true, pauseOnConnect: true }, client => {
    connections++
    sockets.add(client)
    client.on('error', () => {}).once('close', () => sockets.delete(client))
    if (proxy.delayMs === 0) return relay(client)
    setTimeout(() => client.destroyed || relay(client), proxy.delayMs).unref()
  })
  function relay(client: Socket): void {
    client.resume()
    const upstream = connect({ port: target.port, host: target.host ?? '127.0.0.1', noDelay: true })
    const both = [client, upstream]
    // Node 24 spins for ever at exit when a socket is reset while its end is being sent.
    const reset = (socket: Socket) => void (socket.writableEnded ? socket.destroy() : socket.resetAndDestroy())
    const cut = () => {
      if (!dead.has(client)) both.forEach(reset)
    }
    const hold = () => {
      client.pause()
      upstream.removeAllListeners('drain').pause()
    }
    for (const socket of both) {
      sockets.add(socket)
      socket.on('error', cut).once('close', () => {
        sockets.delete(socket)
        if (!dead.has(socket)) both.forEach(other => void other.destroySoon())
        // The server is told late, the client never.
        else if (socket === client) setTimeout(() => upstream.destroy(), FORGOTTEN_MS).unref()
      })
    }
    client.on('data', chunk => {
      if (dead.has(client)) return
      const { cutAfter, holdAfter, cutsAt } = proxy
      const left = Math.max(0, Math.min(cutAfter ?? Infinity, holdAfter ?? Infinity, cutsAt[0] ?? Infinity) - sent)
      const part = chunk.subarray(0, left)
      sent += part.length
      if (!upstream.write(part)) client.pause()
      if (part.length === chunk.length) return
      if (cutsAt[0] === sent) cutsAt.shift()
      else if (cutAfter === null) return hold()
      return cut()
    })
    upstream.on('drain', () => client.resume())
    client.on('drain', () => upstream.resume())
    upstream.on('data', chunk => {
      if (dead.has(upstream)) return
      if (proxy.swallowFrom !== null && sent >= proxy.swallowFrom) return cut()
      if (sent >= (proxy.swallowsAt[0] ?? Infinity)) {
        proxy.swallowsAt.shift()
        return cut()
      }
      if (!client.write(chunk)) upstream.pause()
    })
    client.on('end', () => void (dead.has(client) ? client.end() : upstream.end()))
    upstream.on('end', () => void (dead.has(upstream) || client.end()))
  }
  // It comes back where it was.
  const port = await freePort()
  server.listen(port, '127.0.0.1')
  await event('the proxy listens', server, 'listening')
  // With a filter on names the hooks that stop it may never run; that must not keep the process.
  server.unref()
  const proxy: FlakyProxy = {
    port,
    cutAfter: null,
    cutsAt: [],
    swallowsAt: [],
    swallowFrom: null,
    holdAfter: null,
    delayMs: 0,
    sent: () => sent,
    connections: () => connections,
    forget() {
      for (const socket of sockets) {
        dead.add(socket)
        socket.resume()
      }
    },
    async down() {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
    async up() {
      server.listen(proxy.port, '127.0.0.1')
      await event('the proxy listens', server, 'listening')
    },
    stop: () => proxy.down(),
  }
  return proxy
}
