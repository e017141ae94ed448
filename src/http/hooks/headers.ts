// Adds to every response: request id, security headers, CORS, one log line.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Settings } from '#kit/settings.ts'
import { type App, loggedPath } from '../route/route.ts'

const API_POLICY = "default-src 'none'; frame-ancestors 'none'"
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE'
const HEADERS = [
  'authorization, content-type, idempotency-key, last-event-id, range, if-match, if-none-match',
  'tus-resumable, upload-length, upload-defer-length, upload-offset, upload-metadata, x-http-method-override',
].join(', ')
const EXPOSED = [
  'x-request-id, retry-after, etag, content-range, accept-ranges, location',
  'tus-resumable, tus-version, tus-extension, tus-max-size, upload-offset, upload-length, upload-defer-length, upload-metadata, upload-expires',
].join(', ')

/** Also for requests that Fastify refuses before any hook runs. */
export function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers({
    'x-request-id': request.id,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    'cross-origin-resource-policy': 'same-origin',
    'content-security-policy': API_POLICY,
  })
  if (request.url.startsWith('/api/')) reply.header('cache-control', 'no-store')
}

export function addHeaders(app: App, settings: Settings): void {
  app.addHook('onRequest', async (request, reply) => {
    setCommonHeaders(request, reply)
  })
  if (settings.corsOrigins.length > 0) letOriginsIn(app, settings.corsOrigins)
  app.addHook('onResponse', async (request, reply) => {
    const { statusCode } = reply
    request.log[statusCode >= 500 ? 'error' : 'info'](
      {
        method: request.method,
        path: loggedPath(request),
        status: statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        token_id: request.access?.tokenId,
      },
      'answered',
    )
  })
}

/** For bearer tokens only: cookies from other origins are never accepted. */
function letOriginsIn(app: App, origins: readonly string[]): void {
  app.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers
    reply.header('vary', 'origin')
    if (origin === undefined || !(origins.includes(origin) || origins.includes('*'))) return
    reply.headers({
      'access-control-allow-origin': origin,
      'access-control-expose-headers': EXPOSED,
      'cross-origin-resource-policy': 'cross-origin',
    })
    if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined) {
      return reply
        .headers({
          'access-control-allow-methods': METHODS,
          'access-control-allow-headers': HEADERS,
          'access-control-max-age': 7200,
        })
        .code(204)
        .send()
    }
  })
}
