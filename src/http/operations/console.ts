// Serves the console's built files at the root: hashed files are cached for ever, every page comes from one index.html.

import { readdirSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyReply } from 'fastify'
import type { Pages } from '../hooks/not-found.ts'
import { type App, pathOf } from '../route/route.ts'

const dist = fileURLToPath(new URL('../../../console/dist/', import.meta.url))

// Inline styles are allowed because component libraries set them; inline scripts never.
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self'",
  "img-src 'self' blob: data:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Keepsake</title>
<body><h1>Keepsake is running</h1><p>The console is not built yet. Build it with <code>npm run build:console</code> and load this page again.</p>
<p>The API is at <a href="/docs">/docs</a>.</p></body></html>`

/** Beside a file that is sent in its place to browsers that take it. */
const COMPRESSED = ['.br', '.gz']

const hidden = { config: { scope: null }, schema: { hide: true } }

export async function consoleFiles(app: App): Promise<Pages> {
  const files = rootFiles()
  const index = (reply: FastifyReply): FastifyReply => {
    reply.code(200).header('content-security-policy', POLICY).header('cache-control', 'no-cache')
    return files.includes('index.html')
      ? reply.sendFile('index.html', { cacheControl: false })
      : reply.type('text/html; charset=utf-8').send(NOT_BUILT)
  }
  app.get('/', hidden, (_request, reply) => index(reply))
  if (files.length > 0) {
    await app.register(fastifyStatic, { root: dist, serve: false, preCompressed: true })
    // /assets is also a page of the console.
    app.get<{ Params: { '*': string } }>('/assets/*', hidden, (request, reply) =>
      request.params['*'] === ''
        ? index(reply)
        : reply.sendFile(`assets/${request.params['*']}`, { maxAge: '365d', immutable: true }),
    )
    for (const file of files.filter(name => name !== 'index.html'))
      app.get(`/${file}`, hidden, (_request, reply) => reply.sendFile(file, { maxAge: '10m' }))
  }
  return (request, reply) => {
    const path = pathOf(request)
    const ours = /^\/(api|docs|metrics|healthz|readyz)(\/|$)|^\/assets\/./.test(path)
    const isPage = extname(path) === '' || request.headers.accept?.includes('text/html')
    return request.method === 'GET' && !ours && isPage ? index(reply) : null
  }
}

function rootFiles(): string[] {
  try {
    return readdirSync(dist, { withFileTypes: true })
      .filter(entry => entry.isFile() && !COMPRESSED.includes(extname(entry.name)))
      .map(entry => entry.name)
  } catch {
    return []
  }
}
