// Limits how long the server waits for a client, and how many may connect: no idle client keeps a connection.
import type { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { newAddressOf, newTrust } from '#kit/net/client-address.ts'
import type { Settings } from '#kit/settings.ts'
import { newPlaces } from '#kit/slots.ts'
import type { App } from '../route/route.ts'

interface Times {
  /** A sender that is silent for this long is gone. */
  silentMs: number
  /** A body other than an upload is small, and must have arrived by then. */
  smallBodyMs: number
  /** A reader that takes nothing of its response for this long is gone. */
  unreadMs: number
  /** How long a refused client may go on sending. */
  lingerMs: number
}

/** The body of a request that appends to a resumable upload. */
export const PIECE_TYPE = 'application/offset+octet-stream'

const LINGER_MS = 10_000
const usual: Times = { silentMs: 60_000, smallBodyMs: 60_000, unreadMs: 120_000, lingerMs: LINGER_MS }
/** Smaller responses fit into network buffers, whether they are read or not. */
const SMALL_ANSWER_BYTES = 64 * 1024

type Bounds = Pick<Settings, 'maxConnections' | 'trustProxy'>

export function boundPatience(app: App, settings: Bounds, times: Times = usual): void {
  boundConnections(app, settings)
  app.addHook('onRequest', async ({ raw }, reply) => {
    if (raw.headers['content-length'] === undefined && raw.headers['transfer-encoding'] === undefined) return
    raw.socket.setTimeout(times.silentMs)
    // Once the response is sent, Node has set the time-out for the next request.
    raw.once('end', () => reply.raw.writableFinished || raw.socket.setTimeout(0))
    const type = raw.headers['content-type'] ?? ''
    if (type.startsWith('multipart/') || type === PIECE_TYPE) return
    const late = setTimeout(() => raw.destroy(), times.smallBodyMs)
    for (const event of ['end', 'close']) raw.once(event, () => clearTimeout(late))
  })
  app.addHook('onSend', async (_request, { raw }, payload) => {
    const isSmall = typeof payload === 'string' && payload.length < SMALL_ANSWER_BYTES
    if (!isSmall && payload) raw.socket?.setTimeout(times.unreadMs)
  })
  app.addHook('onResponse', async request => letTheRestGo(request, times.lingerMs))
}

/** Reads and drops what a client still sends after a refusal: closing at once could cost the client our response. */
export function letTheRestGo({ raw }: FastifyRequest, lingerMs = LINGER_MS): void {
  if (raw.complete || raw.destroyed) return
  raw.on('error', () => {}).resume()
  const enough = setTimeout(() => raw.destroy(), lingerMs)
  for (const event of ['end', 'close']) raw.once(event, () => clearTimeout(enough))
}

/** One address may have a quarter of the connections, unless it is a trusted proxy. */
function boundConnections({ server }: App, { maxConnections, trustProxy }: Bounds): void {
  const addressOf = newAddressOf([])
  const isProxy = newTrust(trustProxy)
  const most = Math.ceil(maxConnections / 4)
  const connections = newPlaces()
  server.maxConnections = maxConnections
  server.on('connection', (socket: Socket) => {
    if (isProxy(socket.remoteAddress)) return
    const place = connections.take(addressOf(socket.remoteAddress, undefined), most)
    if (!place) return void socket.destroy()
    socket.once('close', () => place[Symbol.dispose]())
  })
}
