// Answers on the address and below the paths of guests where there is nothing: a page for people, a problem for programs.
import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '#kit/errors.ts'
import { publicUrlOf, type Settings } from '#kit/settings.ts'
import { sendProblem } from '../hooks/problem-answer.ts'
import { emptyHtml } from './guest-html.ts'

export function sendNothing(request: FastifyRequest, reply: FastifyReply, settings: Settings): FastifyReply {
  reply.headers({ 'cache-control': 'private, no-cache', 'x-robots-tag': 'noindex, nofollow' })
  if (!request.headers.accept?.includes('text/html'))
    return sendProblem(request, reply, new Problem('not_found', 'Nothing is served here.'))
  const nonce = randomBytes(12).toString('base64')
  const policy = [
    "default-src 'none'",
    `style-src ${publicUrlOf(settings)}/k/page.css 'nonce-${nonce}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]
  return reply
    .code(404)
    .header('content-security-policy', policy.join('; '))
    .type('text/html; charset=utf-8')
    .send(emptyHtml('notFound').replace('<style>', `<style nonce="${nonce}">`))
}
