// A port for a server that will be down for a while: nobody may take it meanwhile.
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'
import { event, until } from './until.ts'

const opened = (what: string, by: Parameters<typeof event>[1]): Promise<boolean> =>
  event(what, by, 'listening').then(
    () => true,
    () => false,
  )

/** Below the range that the system hands out by itself. No other test file draws it while this process lives. */
export const freePort = (): Promise<number> =>
  until('a port is free', async () => {
    const port = randomInt(10_240, 32_000)
    // The same number of UDP has no other use here: who has it has drawn the port.
    const drawn = createSocket('udp4').unref()
    drawn.bind({ port, address: '127.0.0.1', exclusive: true })
    if (!(await opened('it is drawn', drawn))) return null
    const server = createServer().listen(port, '127.0.0.1')
    if (!(await opened('it is mine', server))) return void drawn.close()
    server.close()
    await event('it is given back', server, 'close')
    return port
  })
