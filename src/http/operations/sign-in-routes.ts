// /sign-in/: people come and go to their OpenID provider here; a session like any other is what they bring back.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ATTEMPT_MS, newOpenId } from '#access/openid.ts'
import { signInPerson } from '#access/people.ts'
import { parseRoles } from '#access/roles.ts'
import { SignInProblem } from '#access/sign-in-problem.ts'
import { newRate } from '#kit/rate.ts'
import { answer } from '../contract/answers.ts'
import { SignIn } from '../contract/token-shapes.ts'
import { cookieOf, isSecure, sessionCookie } from '../hooks/guard.ts'
import type { Resource } from '../route/route.ts'

const BEGIN = '/sign-in/oidc/'
const LEAVE = '/sign-in/oidc/out/'
const CALLBACK = '/sign-in/oidc/callback/'
const ATTEMPT = 'keepsake_sign_in'
const MINUTE_MS = 60_000

export const signInPages: Resource = (app, { db, gate, addressOf, settings, secretBox, log }) => {
  const { oidcIssuer, oidcClientId } = settings
  const isOn = oidcIssuer !== null && oidcClientId !== null
  const openId = isOn ? newOpenId({ ...settings, oidcIssuer, oidcClientId }, secretBox, log) : null
  const roles = isOn ? parseRoles(settings.oidcRoles) : []
  if (openId) app.addHook('onClose', () => openId.close())
  const signIns = newRate(settings.maxSignIns, MINUTE_MS)
  const page = { config: { scope: null }, schema: { hide: true } } as const

  app.get(
    '/api/sign-in/',
    {
      config: { scope: null },
      schema: {
        tags: ['Sessions'],
        operationId: 'readSignIn',
        summary: 'How people sign in',
        description: 'Beside a token: whether there is an OpenID provider, for the sign-in page.',
        response: { 200: answer('What the sign-in page offers.', SignIn) },
      },
    },
    async () => ({
      oidc: isOn ? { name: settings.oidcName ?? new URL(oidcIssuer).hostname, url: BEGIN, sign_out_url: LEAVE } : null,
    }),
  )

  /** A browser gets the sign-in page with a sentence; a program the problem. */
  async function orTell(request: FastifyRequest, reply: FastifyReply, work: () => Promise<FastifyReply>) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof SignInProblem) || !request.headers.accept?.includes('text/html')) throw error
      return reply.redirect(`/#sign-in=${error.reason}`, 303)
    }
  }
  const count = (request: FastifyRequest): void => {
    if (signIns.count(addressOf(request)) > 0) throw new SignInProblem('too_many')
  }

  app.get(BEGIN, page, (request, reply) =>
    orTell(request, reply, async () => {
      if (!openId) throw new SignInProblem('off')
      count(request)
      const { to } = request.query as { to?: unknown }
      const { url, kept } = await openId.begin(`${ownOrigin(request, settings.consoleUrl)}${CALLBACK}`, pageOf(to))
      return reply.header('set-cookie', attemptCookie(request, kept, ATTEMPT_MS / 1000)).redirect(url, 303)
    }),
  )

  // The session here has ended before: this only leads on, so whoever is sent here by another site loses nothing of ours.
  app.get(LEAVE, page, (request, reply) =>
    orTell(request, reply, async () => {
      if (!openId) throw new SignInProblem('off')
      count(request)
      const url = await openId.leave(`${ownOrigin(request, settings.consoleUrl)}/`)
      if (url === null) throw new SignInProblem('no_sign_out')
      return reply.redirect(url, 303)
    }),
  )

  app.get(CALLBACK, page, (request, reply) =>
    orTell(request, reply, async () => {
      if (!openId) throw new SignInProblem('off')
      reply.header('set-cookie', attemptCookie(request, '', 0))
      count(request)
      const query = new URL(request.url, 'http://keepsake').searchParams
      const { claims, to } = await openId.finish(cookieOf(request, ATTEMPT), query)
      const address = addressOf(request)
      const { secret, expiresAt, tokenId } = await signInPerson({ db, gate, settings, roles, address }, claims)
      log.info({ token_id: tokenId }, 'a person signed in')
      const seconds = Math.floor((expiresAt.getTime() - Date.now()) / 1000)
      return reply.header('set-cookie', sessionCookie(request, secret, seconds)).redirect(to, 303)
    }),
  )
}

/** Lax: the browser comes back from the provider's pages with it. */
const attemptCookie = (request: FastifyRequest, value: string, seconds: number): string =>
  `${ATTEMPT}=${value}; Path=${CALLBACK}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure(request) ? '; Secure' : ''}`

/** A wrong Host leads nowhere: the provider sends people only to addresses that were registered with it. */
function ownOrigin(request: FastifyRequest, consoleUrl: string | null): string {
  if (consoleUrl !== null) return consoleUrl
  const [forwarded] = [request.headers['x-forwarded-host']].flat()
  const host = forwarded ?? request.headers.host ?? ''
  const url = `${isSecure(request) ? 'https' : 'http'}://${host}`
  if (!URL.canParse(url)) throw new SignInProblem('provider')
  return new URL(url).origin
}

/** A page of the console, and of no other site. */
const pageOf = (to: unknown): string =>
  typeof to === 'string' && to.length <= 1_024 && /^\/(?![/\\])[\x21-\x7e]*$/.test(to) && !to.includes('\\') ? to : '/'
