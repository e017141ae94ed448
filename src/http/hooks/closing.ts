// A stop of the API, as its clients see it: new requests are refused, answers under way reach their end, then each connection is closed.
import type { Socket } from 'node:net'
import { Problem } from '#kit/errors.ts'
import type { App } from '../route/route.ts'

/** Time for a request that is just being sent. */
const SILENT_MS = 500

export function refuseWhileClosing(app: App): void {
  let closing = false
  // Browsers open connections that they may need later. Node takes only those for idle that have had a request.
  const silent = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => {
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
  })
  app.addHook('preClose', async () => {
    closing = true
    setTimeout(() => silent.forEach(socket => void socket.destroy()), SILENT_MS).unref()
  })
  // Otherwise the client would keep the connection open for a next request, and the stop would wait for it.
  app.addHook('onSend', async (_request, reply) => {
    if (closing) reply.header('connection', 'close')
  })
  app.addHook('onRequest', async () => {
    if (closing)
      throw new Problem('unavailable', 'The service is stopping. Try again shortly.', { retryAfterSeconds: 5 })
  })
  // An answer whose headers were sent before the stop promised to keep its connection. Nobody else closes it when it is done.
  const answering = new Map<Socket, number>()
  app.server.on('request', ({ socket }, response) => {
    silent.delete(socket)
    answering.set(socket, (answering.get(socket) ?? 0) + 1)
    response.once('close', () => {
      const left = (answering.get(socket) ?? 1) - 1
      if (left > 0) answering.set(socket, left)
      else answering.delete(socket)
      if (closing && left === 0) socket.destroySoon()
    })
  })
}
