// /api/token/: credentials for people and machines.
import Type from 'typebox'
import * as access from '#access/tokens.ts'
import { answer, emptyAnswer } from '../contract/answers.ts'
import { ListOf, ListQuery } from '../contract/shapes.ts'
import { NewToken, Token, TokenInput } from '../contract/token-shapes.ts'
import type { Resource } from '../route/route.ts'

const tags = ['Tokens']
const params = Type.Object({ token_id: Type.String({ description: 'The id of the token.' }) })

export const tokens: Resource = (app, { db, gate }) => {
  app.post(
    '/api/token/',
    {
      config: { scope: 'admin' },
      schema: {
        tags,
        operationId: 'createToken',
        summary: 'Make a token',
        description:
          'The token itself is in this answer and nowhere else. No token makes a stronger one: one that is limited to experiences, ends at some time or carries limits only makes tokens with some of these experiences, no later end and no higher limits.',
        body: TokenInput,
        response: { 201: answer('The token that was made, shown this once.', NewToken) },
      },
    },
    async (request, reply) => {
      const { name, scopes, experiences = null, expires_at = null, limits = null } = request.body
      const expiresAt = expires_at === null ? null : new Date(expires_at)
      const wanted = { name, scopes, experiences, expiresAt, limits }
      const { token, row } = await access.createToken(db, request.access, wanted, request.actor)
      return reply.code(201).send({ ...shown(row), token })
    },
  )
  app.get(
    '/api/token/',
    {
      config: { scope: 'admin' },
      schema: {
        tags,
        operationId: 'listTokens',
        summary: 'List tokens',
        querystring: ListQuery({}),
        response: { 200: answer('A page of tokens.', ListOf(Token)) },
      },
    },
    async request => {
      const { items, next_cursor } = await access.listTokens(db, request.access, request.query)
      return { items: items.map(shown), next_cursor }
    },
  )
  app.get(
    '/api/token/:token_id/',
    {
      config: { scope: 'admin' },
      schema: {
        tags,
        operationId: 'readToken',
        summary: 'Read a token',
        params,
        response: { 200: answer('The token, without its secret.', Token) },
      },
    },
    async request => shown(await access.readToken(db, request.access, request.params.token_id)),
  )
  app.delete(
    '/api/token/:token_id/',
    {
      config: { scope: 'admin' },
      schema: {
        tags,
        operationId: 'deleteToken',
        summary: 'Delete a token',
        description:
          'It is refused everywhere within 5 seconds, its event streams end, and the tokens that it made are deleted as well.',
        params,
        response: { 204: emptyAnswer('Deleted.') },
      },
    },
    async (request, reply) => {
      await access.deleteToken(db, gate, request.access, request.params.token_id, request.actor)
      return reply.code(204).send(null)
    },
  )
}

const shown = (row: Awaited<ReturnType<typeof access.readToken>>): Token => ({
  token_id: row.token_id,
  name: row.name,
  scopes: row.scopes as Token['scopes'],
  experiences: row.experiences,
  expires_at: row.expires_at?.toISOString() ?? null,
  last_used_at: row.last_used_at?.toISOString() ?? null,
  limits: row.limits,
  person: row.person !== null,
  made_by: row.made_by,
  created_at: row.created_at.toISOString(),
  updated_at: (row.last_used_at ?? row.created_at).toISOString(),
})
