// Answers below /k/: pages with what they may load, and whatever goes wrong as a page for people and a problem for programs.
import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Problem } from '#kit/errors.ts'
import { type GuestPage, plainGuestPage } from '#kit/guest/guest-page.ts'
import { publicUrlOf, type Settings } from '#kit/settings.ts'
import { answerErrors, sendProblem } from '../hooks/problem-answer.ts'
import type { App } from '../route/route.ts'
import { emptyHtml } from './guest-html.ts'
import { languageFor } from './guest-words.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Of the keepsake that the code opens, or opened once; null: it opens none. */
    guestPage: GuestPage | null
  }
}

type Addressed = Pick<Settings, 'publicUrl' | 'host' | 'port'>

/** A browser says so; programs that take anything get what is made for them. */
export const isPerson = ({ headers }: FastifyRequest): boolean => headers.accept?.includes('text/html') ?? false

/** Only what lies below /k/ may be loaded: a page can't be made to reach anything else. */
export function sendGuestPage(settings: Addressed, reply: FastifyReply, text: string): FastifyReply {
  const below = `${publicUrlOf(settings)}/k/`
  const nonce = randomBytes(12).toString('base64')
  const policy = [
    "default-src 'none'",
    `script-src ${below}page.js`,
    `style-src ${below}page.css 'nonce-${nonce}'`,
    `img-src ${below}`,
    `media-src ${below}`,
    `connect-src ${below}`,
    "base-uri 'none'",
    `form-action ${below}`,
    "frame-ancestors 'none'",
  ]
  return reply
    .header('content-security-policy', policy.join('; '))
    .type('text/html; charset=utf-8')
    .send(text.replace('<style>', `<style nonce="${nonce}">`))
}

/** For every route of the scope, so that none has an answer of its own. */
export function answerGuestErrors(app: App, settings: Addressed): void {
  app.decorateRequest('guestPage', null)
  answerErrors(app, (request, reply, problem) => sendGuestProblem(settings, request, reply, problem))
}

const AGAIN_SECONDS = 5

/** In the language of the event where the code tells it, else in that of the browser. */
export function sendGuestProblem(
  settings: Addressed,
  request: FastifyRequest,
  reply: FastifyReply,
  problem: Problem,
): FastifyReply {
  if (!isPerson(request)) return sendProblem(request, reply, problem)
  const { retryAfterSeconds: seconds } = problem
  if (seconds !== undefined) reply.header('retry-after', seconds)
  // A phone that was put aside comes back by itself.
  if (problem.status === 503 && request.method === 'GET') reply.header('refresh', seconds ?? AGAIN_SECONDS)
  const language = languageFor(request.headers['accept-language'])
  const page = request.guestPage ?? { ...plainGuestPage, language }
  return sendGuestPage(settings, reply.code(problem.status), emptyHtml(problem, page))
}

/** On the address and below the paths of guests, where there is nothing. */
export function sendNothing(
  settings: Addressed,
  request: FastifyRequest,
  reply: FastifyReply,
  problem: Problem,
): FastifyReply {
  reply.headers({ 'cache-control': 'private, no-cache', 'x-robots-tag': 'noindex, nofollow' })
  return sendGuestProblem(settings, request, reply, problem)
}
