// @ts-check
// http_put against a small server: the contract of destinations, with a proxy in front that cuts connections.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { destinationContract, startProxy } from 'keepsake/adapter/test'
import { httpPut } from '../http_put.js'

const TOKEN = 'right-token-right'

/** A target: it keeps what was put, once it has come whole. */
async function startBed() {
  /** @type {Map<string, Buffer>} */
  const files = new Map()
  const server = createServer(async (request, response) => {
    const path = request.url ?? ''
    /** @type {Buffer[]} */
    const chunks = []
    try {
      for await (const chunk of request) chunks.push(chunk)
    } catch {
      return // Cut off: nothing of it is kept.
    }
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return void response.writeHead(401).end('Who are you?')
    if (request.method === 'PUT') {
      // Of what is very large only the size matters here.
      const bytes = Buffer.concat(chunks)
      files.set(path, bytes.length > 100_000_000 ? Buffer.alloc(0) : bytes)
      return void response.writeHead(201).end()
    }
    const file = files.get(path)
    if (!file) return void response.writeHead(404).end()
    if (request.method === 'DELETE') files.delete(path)
    response.end(request.method === 'GET' ? file : undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const proxy = await startProxy({ port: typeof address === 'object' && address ? address.port : 0 })
  return {
    adapter: httpPut,
    // The suite measures the memory of a process of its own, which loads the adapter from here.
    module: new URL('../index.js', import.meta.url).href,
    options: { url: `http://127.0.0.1:${proxy.port}/event`, file_prefix: 'day 1/' },
    auth: { token: TOKEN },
    proxy,
    delivered: async () => [...files.values()],
    clear: async () => files.clear(),
    async stop() {
      await proxy.stop()
      server.closeAllConnections()
      server.close()
    },
  }
}

destinationContract('http_put', startBed, {
  // The name is the same at every attempt, so a second one can do no harm.
  afterLostAnswer: 'one',
  retracts: true,
  large: true,
  resumes: false,
  refusals: [
    {
      title: 'a wrong token',
      with: () => ({ auth: { token: 'wrong-token-wrong' } }),
      says: /^127\.0\.0\.1:\d+ refused our credentials \(401\): Who are you\?$/,
    },
  ],
})
