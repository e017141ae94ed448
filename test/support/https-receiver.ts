// An HTTP(S) server on a free port of 127.0.0.1 that counts connections and keeps what it was sent.
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Certificate } from './certificates.ts'

export interface Received {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: Buffer
}

export interface Receiver {
  /** `http://127.0.0.1:PORT` or `https://…`. */
  url: string
  port: number
  received: Received[]
  /** Connections opened since the start. */
  connections(): number
  /** Connections open at this moment. */
  open(): number
  stop(): Promise<void>
}

/** Gets the request with its body read already; without one everything is answered 200 and empty. */
export type Answer = (request: Received, response: ServerResponse) => void | Promise<void>

export interface ReceiverOptions {
  tls?: Certificate
  answer?: Answer
  /** In place of `answer`, for servers that want the request as a stream. */
  raw?: (request: IncomingMessage, response: ServerResponse) => void
  /** A free one unless given. */
  port?: number
}

export async function startReceiver({ tls, answer, raw, port: wanted = 0 }: ReceiverOptions = {}): Promise<Receiver> {
  const received: Received[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  const collect: RequestListener = async (request, response) => {
    const chunks: Buffer[] = []
    try {
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    } catch {
      return // the client went away in the middle: nothing was received
    }
    const { method = '', url = '', headers } = request
    const one = { method, url, headers, body: Buffer.concat(chunks) }
    received.push(one)
    await (answer ? answer(one, response) : response.end())
  }
  const listener = raw ?? collect
  const server = tls ? createTlsServer(tls, listener) : createServer(listener)
  server.on('connection', socket => {
    connections++
    sockets.add(socket)
    socket.on('error', () => {}).once('close', () => sockets.delete(socket))
  })
  await new Promise<void>(resolve => server.listen(wanted, '127.0.0.1', resolve))
  // With a filter on names the hooks that stop it may never run; that must not keep the process.
  server.unref()
  const { port } = server.address() as AddressInfo
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    received,
    connections: () => connections,
    open: () => sockets.size,
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
