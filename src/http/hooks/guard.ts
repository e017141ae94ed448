// Admits every request: checks its credential, its scope, its origin and its rate.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Gate } from '#access/gate.ts'
import { actorOf, requireScope } from '#access/scopes.ts'
import type { TokenLimiter } from '#access/token-limiter.ts'
import { Problem } from '#kit/errors.ts'
import type { Rate } from '#kit/rate.ts'
import type { App } from '../route/route.ts'

const COOKIE = 'keepsake_session'

interface Door {
  gate: Gate
  limiter: TokenLimiter
  /** Counts invalid credentials by the address they came from. */
  badTokens: Rate
  addressOf(request: FastifyRequest): string
  /** Whether the service refuses new work. */
  stopping(): boolean
}

export function guard(app: App, door: Door): void {
  app.addHook('onRoute', route => {
    if (route.config?.scope === undefined) throw new Error(`${route.method} ${route.url} declares no scope`)
  })
  app.addHook('onRequest', async (request, reply) => {
    const { scope } = request.routeOptions.config
    if (scope === undefined || scope === null) return
    await admit(request, door)
    underWay(reply, door.limiter.enter(request.access))
    await door.limiter.request(request.access)
    requireScope(request.access, scope)
    if (door.stopping() && request.method !== 'GET' && request.method !== 'HEAD')
      throw new Problem('unavailable', 'Keepsake is stopping and takes no new work. Try again shortly.', {
        retryAfterSeconds: 5,
      })
  })
}

/** Holds the place until the response is sent or the client is gone. */
function underWay({ raw }: FastifyReply, place: Disposable): void {
  raw.once('close', () => place[Symbol.dispose]())
}

async function admit(request: FastifyRequest, { gate, badTokens, addressOf }: Door): Promise<void> {
  const { authorization } = request.headers
  const session = authorization === undefined ? sessionSecret(request) : null
  if (authorization === undefined && session === null)
    throw new Problem('unauthorized', 'A token is needed. Send "Authorization: Bearer TOKEN".')
  if (session !== null) requireOwnOrigin(request, true)
  const token = /^Bearer +([\x21-\x7e]{1,512}) *$/i.exec(authorization ?? '')?.[1]
  const address = addressOf(request)
  // The credential is not even checked, so nobody learns whether a guess was right. One that was valid here before still gets in.
  const wait = badTokens.over(address)
  if (wait > 0 && !(token !== undefined && gate.knows({ token })) && !(session !== null && gate.knows({ session })))
    throw new Problem('too_many_requests', 'Too many credentials that are not valid came from your address.', {
      retryAfterSeconds: wait,
    })
  request.recheckAccess = async () =>
    session !== null ? gate.session(session) : token === undefined ? null : gate.bearer(token)
  const access = await request.recheckAccess()
  if (access) {
    request.access = access
    request.actor = actorOf(access, { kind: session !== null ? 'session' : 'token', address })
  } else {
    badTokens.count(address)
    throw new Problem(
      'unauthorized',
      session === null
        ? 'The token is not valid. Send "Authorization: Bearer TOKEN".'
        : 'You are signed out. Sign in again.',
    )
  }
}

export function sessionSecret(request: FastifyRequest): string | null {
  const value = cookieOf(request, COOKIE)
  return value !== null && /^[\w-]{1,128}$/.test(value) ? value : null
}

/** One of ours: plain letters. */
export function cookieOf(request: FastifyRequest, wanted: string): string | null {
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const [name, value] = pair.trim().split('=', 2)
    if (name === wanted && value !== undefined && /^[\w-]{1,4096}$/.test(value)) return value
  }
  return null
}

/** Whether the browser came over TLS, here or at the proxy. */
export const isSecure = (request: FastifyRequest): boolean =>
  request.protocol === 'https' || request.headers['x-forwarded-proto'] === 'https'

export const sessionCookie = (request: FastifyRequest, value: string, seconds: number): string =>
  `${COOKIE}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure(request) ? '; Secure' : ''}`

/**
 * A browser sends the cookie by itself, so a request that changes something must come from our own page. X-Forwarded-Host counts too:
 * a page of another origin cannot set it without a CORS preflight.
 */
export function requireOwnOrigin(request: FastifyRequest, needed: boolean): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  const { origin, host, 'x-forwarded-host': forwarded } = request.headers
  if (origin === undefined && !needed) return
  const from = origin !== undefined && URL.canParse(origin) ? new URL(origin).host : null
  if (from === null || (from !== host && from !== forwarded))
    throw new Problem('forbidden', 'With the console’s cookie this may only be asked by the console’s own pages.')
}
