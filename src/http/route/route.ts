// The type of our Fastify server, and what a route must say about itself.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type {} from '@fastify/swagger'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, RawServerDefault } from 'fastify'
import type { Gate } from '#access/gate.ts'
import type { Access, Scope } from '#access/scopes.ts'
import type { Use } from '#access/use.ts'
import type { Code } from '#kit/errors.ts'
import type { MeltedOutputs } from '#tasks/try/melted.ts'
import type { Works } from './client-work.ts'
import type { Services } from './http-services.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is asking; there on every route with a scope. */
    access: Access
    /** Whether that credential still holds: its access, or null. */
    look(): Promise<Access | null>
  }
  interface FastifyContextConfig {
    /** What a credential must include; null: open to everybody. Every route declares it. */
    scope?: Scope | null
    /** What can go wrong here beyond what goes for every route; for the reference. */
    problems?: readonly Code[]
  }
}

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

/** One resource: adds its routes to a scope of its own. */
export type Resource = (app: App, services: Context) => void | Promise<void>

/** What app.ts hands over, and what the server has made of it for all its resources. */
export type Context = Services & {
  gate: Gate
  use: Use
  works: Works
  melted: MeltedOutputs
  addressOf(request: FastifyRequest): string
}

/** The path that was asked for, without its query: safe to log. */
export const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0] ?? '/'

/** For the log: a token that somebody put into a path by mistake is not kept. */
export const loggedPath = (request: FastifyRequest): string => pathOf(request).replace(/ks_[\w-]{8,}/g, 'ks_********')
