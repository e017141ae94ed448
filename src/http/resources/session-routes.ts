// /api/session/: signs in to the console and out of it.

import Type from 'typebox'
import { type Access, OPERATOR } from '#access/scopes.ts'
import { type Credential, signIn, signOut } from '#access/sessions.ts'
import { Problem } from '#kit/errors.ts'
import { newRate } from '#kit/rate.ts'
import { answer, emptyAnswer } from '../contract/answers.ts'
import { Session, SessionInput } from '../contract/token-shapes.ts'
import { requireOwnOrigin, sessionCookie, sessionSecret } from '../hooks/guard.ts'
import type { Resource } from '../route/route.ts'

const tags = ['Sessions']
const cookieHeader = {
  'Set-Cookie': Type.String({ description: 'The session, as an HttpOnly cookie; signing out empties it.' }),
}

export const sessions: Resource = (app, { db, gate, addressOf, settings }) => {
  const signIns = newRate(settings.maxSignIns, 60_000)
  app.post(
    '/api/session/',
    {
      // Counted before the body is read: the request of a client that tries too often is not read.
      onRequest: async request => {
        const wait = signIns.count(addressOf(request))
        if (wait > 0)
          throw new Problem('too_many_requests', 'Too many sign-ins came from your address. Wait a minute.', {
            retryAfterSeconds: wait,
          })
      },
      config: { scope: null, problems: ['unauthorized', 'forbidden', 'too_many_requests'] },
      schema: {
        tags,
        operationId: 'createSession',
        summary: 'Sign in to the console',
        description: 'Answers with an HttpOnly cookie that stands for the token. 10 a minute from one address.',
        body: SessionInput,
        response: { 201: answer('Signed in.', Session, cookieHeader) },
      },
    },
    async (request, reply) => {
      requireOwnOrigin(request, false)
      const { secret, access, expiresAt } = await signIn(db, gate, credential(request.body))
      const seconds = Math.floor((expiresAt.getTime() - Date.now()) / 1000)
      return reply
        .code(201)
        .header('set-cookie', sessionCookie(request, secret, seconds))
        .send(shown(access, expiresAt))
    },
  )
  app.get(
    '/api/session/',
    {
      config: { scope: 'read' },
      schema: {
        tags,
        operationId: 'readSession',
        summary: 'Who is asking',
        response: { 200: answer('What the credential allows.', Session) },
      },
    },
    async request => shown(request.access, null),
  )
  app.delete(
    '/api/session/',
    {
      config: { scope: null, problems: ['forbidden'] },
      schema: {
        tags,
        operationId: 'deleteSession',
        summary: 'Sign out',
        response: { 204: emptyAnswer('Signed out.', cookieHeader) },
      },
    },
    async (request, reply) => {
      const secret = sessionSecret(request)
      if (secret !== null) {
        requireOwnOrigin(request, true)
        await signOut(db, gate, secret)
      }
      return reply
        .code(204)
        .header('set-cookie', sessionCookie(request, '', 0))
        .send(null)
    },
  )
}

function credential({ token, code }: { token?: string; code?: string }): Credential {
  if (token !== undefined && code === undefined) return { token }
  if (code !== undefined && token === undefined) return { code }
  throw new Problem('bad_request', 'Send either token or code.', {
    errors: [{ field: token === undefined ? 'token' : 'code', message: 'send either token or code' }],
  })
}

const shown = ({ name, scope, experiences, tokenId }: Access, expiresAt: Date | null): Session => ({
  name,
  scope,
  experiences: experiences === null ? null : [...experiences],
  token_id: tokenId === OPERATOR ? null : tokenId,
  expires_at: expiresAt?.toISOString() ?? null,
})
