// The type of our Fastify server, and what a route declares.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type {} from '@fastify/swagger'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, RawServerDefault } from 'fastify'
import type { Gate } from '#access/gate.ts'
import type { Access, Scope } from '#access/scopes.ts'
import type { TokenLimiter } from '#access/token-limiter.ts'
import type { Actor } from '#kit/actor.ts'
import type { Code } from '#kit/errors.ts'
import { MASK } from '#kit/mask.ts'
import type { Rate } from '#kit/rate.ts'
import type { Span } from '#kit/telemetry/trace.ts'
import type { Bulk } from '#tasks/steer/bulk.ts'
import type { MeltedOutputs } from '#tasks/try/melted.ts'
import type { Renditions } from '#tasks/try/rendition.ts'
import type { Thumbnails } from '#tasks/try/thumbnail.ts'
import type { Works } from './client-work.ts'
import type { Services } from './http-services.ts'
import type { Waits } from './waits.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller; set on every route with a scope. */
    access: Access
    /** The caller, as it is kept with what it changes. */
    actor: Actor
    /** Of the request in its trace; it does nothing where nothing is traced. */
    span: Span
    /** Checks the request's credential again: its access, or null if it is no longer valid. */
    recheckAccess(): Promise<Access | null>
  }
  interface FastifyContextConfig {
    /** The scope that the credential must include; null: open to everybody. Every route declares it. */
    scope?: Scope | null
    /** Errors of this route beyond those of every route; for the reference. */
    problems?: readonly Code[]
    /** The body may be left out; for the reference. */
    optionalBody?: boolean
  }
}

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

/** Adds the routes of one resource to a Fastify scope of its own. */
export type Resource = (app: App, services: Context) => void | Promise<void>

/** The services of app.ts, and what the server made of them for all resources. */
export type Context = Omit<Services, 'waits'> & {
  waits: Waits
  gate: Gate
  limiter: TokenLimiter
  works: Works
  melted: MeltedOutputs
  renditions: Renditions
  logos: Thumbnails
  bulk: Bulk
  /** Counts the codes and keys of guests that open nothing, by the address they came from. */
  misses: Rate
  addressOf(request: FastifyRequest): string
}

/** The path of the request without its query: safe to log. */
export const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0] ?? '/'

/** For the log: the pattern of the route, so that no key in a path is told. Where there is none, without all that could be a key, also percent-encoded. */
export const loggedPath = (request: FastifyRequest): string =>
  request.routeOptions.url ??
  pathOf(request)
    .replace(/ks_[\w-]{8,}/g, `ks_${MASK}`)
    .replace(/[\w%-]{22,}/g, MASK)
