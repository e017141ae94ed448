// The door of every route: who is asking, with which scope, and from which web page.
import type { FastifyRequest } from 'fastify'
import type { Gate } from '#access/gate.ts'
import { type Access, requireScope } from '#access/scopes.ts'
import { Problem } from '#kit/errors.ts'
import type { App } from './app.ts'

export const COOKIE = 'keepsake_session'

export function guard(app: App, gate: Gate, stopping: () => boolean): void {
  app.addHook('onRoute', route => {
    if (route.config?.scope === undefined) throw new Error(`${route.method} ${route.url} declares no scope`)
  })
  app.addHook('onRequest', async request => {
    const { scope } = request.routeOptions.config
    if (scope === undefined || scope === null) return
    request.access = await admit(request, gate)
    requireScope(request.access, scope)
    if (stopping() && request.method !== 'GET' && request.method !== 'HEAD')
      throw new Problem('unavailable', 'Keepsake is stopping and takes no new work. Try again shortly.', {
        retryAfterSeconds: 5,
      })
  })
}

async function admit(request: FastifyRequest, gate: Gate): Promise<Access> {
  const { authorization } = request.headers
  if (authorization !== undefined) {
    const token = /^Bearer +([\x21-\x7e]{1,512}) *$/i.exec(authorization)?.[1]
    const access = token === undefined ? null : await gate.bearer(token)
    if (!access) throw new Problem('unauthorized', 'The token is not valid. Send "Authorization: Bearer TOKEN".')
    return access
  }
  const secret = sessionSecret(request)
  if (secret === null) throw new Problem('unauthorized', 'A token is needed. Send "Authorization: Bearer TOKEN".')
  requireOwnOrigin(request, true)
  const access = await gate.session(secret)
  if (!access) throw new Problem('unauthorized', 'You are signed out. Sign in again.')
  return access
}

export function sessionSecret(request: FastifyRequest): string | null {
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const [name, value] = pair.trim().split('=', 2)
    if (name === COOKIE && value !== undefined && /^[\w-]{1,128}$/.test(value)) return value
  }
  return null
}

/**
 * A browser sends the cookie by itself, so what changes something must come from our own page.
 * X-Forwarded-Host counts too: no page of another origin can set it without asking first.
 */
export function requireOwnOrigin(request: FastifyRequest, needed: boolean): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  const { origin, host, 'x-forwarded-host': forwarded } = request.headers
  if (origin === undefined && !needed) return
  const from = origin !== undefined && URL.canParse(origin) ? new URL(origin).host : null
  if (from === null || (from !== host && from !== forwarded))
    throw new Problem('forbidden', 'With the console’s cookie this may only be asked by the console’s own pages.')
}
