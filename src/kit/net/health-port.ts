// A small HTTP port of a process that has no API: whether it lives, whether it takes work, and its metrics.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface HealthAnswers {
  ready(): Promise<{ status: 'ready' | 'not_ready' } & Record<string, unknown>>
  /** Whether the caller may read the metrics: 200, or the status and the sentence of a refusal. */
  mayRead(request: IncomingMessage): Promise<{ status: 200 } | { status: 401 | 403 | 429; sentence: string }>
  metrics(): Promise<{ type: string; text: string }>
}

interface HealthPort {
  url: string
  close(): Promise<void>
}

/** Probes and scrapes come seldom and one at a time. */
const CONNECTIONS = 64

export async function openHealthPort(
  { host, port }: { host: string; port: number },
  answers: HealthAnswers,
): Promise<HealthPort> {
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 10_000, keepAliveTimeout: 65_000 })
  server.maxConnections = CONNECTIONS
  server.on('request', (request, response) => {
    // Nothing here takes a body.
    request.resume()
    answer(request, answers)
      .catch(() => problem(500, 'It could not be answered.'))
      .then(told => write(request, response, told))
  })
  const listening = Promise.withResolvers<void>()
  server.once('error', listening.reject)
  server.listen(port, host, listening.resolve)
  await listening.promise
  const { address, family, port: taken } = server.address() as AddressInfo
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`,
    async close() {
      const closed = Promise.withResolvers<void>()
      server.close(() => closed.resolve())
      server.closeAllConnections()
      await closed.promise
    },
  }
}

interface Told {
  status: number
  type: string
  body: string
}

const json = (status: number, body: object): Told => ({ status, type: 'application/json', body: JSON.stringify(body) })

const problem = (status: number, detail: string): Told => ({
  status,
  type: 'application/problem+json',
  body: JSON.stringify({ status, detail }),
})

async function answer(request: IncomingMessage, { ready, mayRead, metrics }: HealthAnswers): Promise<Told> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return problem(405, 'Only GET and HEAD are served here.')
  switch (request.url?.split('?', 1)[0]) {
    case '/healthz':
      return json(200, { status: 'ok' })
    case '/readyz': {
      const told = await ready()
      return json(told.status === 'ready' ? 200 : 503, told)
    }
    case '/metrics': {
      const may = await mayRead(request)
      if (may.status !== 200) return problem(may.status, may.sentence)
      const { type, text } = await metrics()
      return { status: 200, type, body: text }
    }
    default:
      return problem(404, 'There are /healthz, /readyz and /metrics here.')
  }
}

function write({ method }: IncomingMessage, response: ServerResponse, { status, type, body }: Told): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    ...(status === 405 ? { allow: 'GET, HEAD' } : {}),
    ...(status === 503 || status === 429 ? { 'retry-after': '1' } : {}),
  })
  response.end(method === 'HEAD' ? undefined : body)
}
