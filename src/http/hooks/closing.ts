// A stop of the API, as its clients see it: new requests are refused, answers under way reach their end, then each connection is closed.
import type { Socket } from 'node:net'
import { Problem } from '#kit/errors.ts'
import type { App } from '../route/route.ts'

export function refuseWhileClosing(app: App): void {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
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
    answering.set(socket, (answering.get(socket) ?? 0) + 1)
    response.once('close', () => {
      const left = (answering.get(socket) ?? 1) - 1
      if (left > 0) answering.set(socket, left)
      else answering.delete(socket)
      if (closing && left === 0) socket.destroySoon()
    })
  })
}
