// A port for a server that will be down for a while: nobody may take it meanwhile.
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { event, until } from './until.ts'

/** Below the range that the system hands out by itself. */
export const freePort = (): Promise<number> =>
  until('a port is free', async () => {
    const port = randomInt(10_240, 32_000)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await event('it is mine', server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) return null
    server.close()
    await event('it is given back', server, 'close')
    return port
  })
