// Answers every error as RFC 9457 problem+json: what was wrong and what is accepted, without internals.
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { asUnavailable } from '#db/database.ts'
import { type Code, isProblem, Problem } from '#kit/errors.ts'
import { own } from '#kit/json.ts'
import { type App, loggedPath } from '../route/route.ts'

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8'

/** Errors that Fastify and Node report by code, in our words. */
const known: Record<string, [Code, string]> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['wrong_content_type', 'Send application/json here.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['bad_request', 'The body does not have the length that Content-Length says.'],
  FST_ERR_CTP_INVALID_TYPE: ['wrong_content_type', 'The Content-Type is not valid. Send application/json here.'],
  FST_ERR_BAD_URL: ['bad_request', 'The path is not valid: its percent-encoding is broken.'],
  FST_ERR_MAX_PARAM_LENGTH: ['not_found', 'There is no such thing: the name in the path is too long.'],
  HPE_HEADER_OVERFLOW: ['bad_request', 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['bad_request', 'The request did not arrive in time.'],
}

/** A response must not be many times as long as its request. */
const MOST_ERRORS = 100

export function problemBody(problem: Problem, requestId?: string): Record<string, unknown> {
  return {
    type: `/docs#${problem.code}`,
    title: problem.title,
    status: problem.status,
    detail: problem.message,
    code: problem.code,
    ...(problem.errors ? { errors: problem.errors.slice(0, MOST_ERRORS) } : {}),
    ...(problem.receiptUrl === undefined ? {} : { receipt_url: problem.receiptUrl }),
    ...(problem.status === 500 && requestId ? { request_id: requestId } : {}),
  }
}

/** Of a body that is no file, where a route does not say otherwise. */
export const JSON_BYTES = 1024 ** 2

const inBytes = (bytes: number): string =>
  bytes % 1024 ** 2 === 0 ? `${bytes / 1024 ** 2} MiB` : `${bytes.toLocaleString('en')} bytes`

/** Turns an error into a problem. `bodyLimit` is that of the route. An unforeseen one becomes `internal` and tells nothing. */
export function asProblem(error: unknown, bodyLimit = JSON_BYTES): Problem {
  const cause = isProblem(error) ? error : asUnavailable(error)
  if (isProblem(cause)) return cause
  const { code = '', statusCode = 500 } = (cause ?? {}) as Partial<FastifyError>
  const found = own(known, code)
  if (found) return new Problem(found[0], found[1], { cause })
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new Problem('too_large', `The body may have ${inBytes(bodyLimit)} at most here.`, { cause })
  // Libraries that serve files report a client's mistake by a status alone.
  if (statusCode === 403 || statusCode === 404) return new Problem('not_found', 'There is no such file.', { cause })
  if (statusCode >= 400 && statusCode < 500) return new Problem('bad_request', 'The request is not valid.', { cause })
  return new Problem('internal', 'Something went wrong on our side. The request id leads to the log.', { cause })
}

export function sendProblem(request: FastifyRequest, reply: FastifyReply, problem: Problem): FastifyReply {
  if (problem.retryAfterSeconds !== undefined) reply.header('retry-after', problem.retryAfterSeconds)
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer')
  return reply
    .code(problem.status)
    .header('content-type', PROBLEM_TYPE)
    .serializer(JSON.stringify)
    .send(problemBody(problem, request.id))
}

/** Holds for the routes of the scope and those below it. `send` says how a problem is told. */
export function answerErrors(app: App, send: typeof sendProblem = sendProblem): void {
  app.setErrorHandler((error, request, reply) => {
    if (request.raw.destroyed && !request.raw.complete) {
      request.log.info({ path: loggedPath(request) }, 'the client went away')
      return send(request, reply, new Problem('bad_request', 'The request ended early.'))
    }
    const problem = asProblem(error, request.routeOptions.bodyLimit)
    if (problem.status >= 500)
      request.log.error({ err: problem.cause ?? error, path: loggedPath(request) }, problem.title)
    return send(request, reply, problem)
  })
}
