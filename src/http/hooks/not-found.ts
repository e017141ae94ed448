// Answers unknown paths: 405 with the allowed methods, a page, or 404.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '#kit/errors.ts'
import { type App, pathOf } from '../route/route.ts'
import type { sendProblem } from './problem-answer.ts'

/** Answers with a page; null if the path is that of none. */
export type Pages = (request: FastifyRequest, reply: FastifyReply, problem: Problem) => FastifyReply | null

export interface Unknown {
  pages: Pages
  /** Tells a problem that no route has answered. */
  send: typeof sendProblem
}

interface Served {
  path: RegExp
  methods: Set<string>
}

export function answerUnknownPaths(app: App, { pages, send }: Unknown): void {
  const served = new Map<string, Served>()
  app.addHook('onRoute', ({ url, method }) => {
    const entry = served.get(url) ?? { path: pattern(url), methods: new Set() }
    for (const name of [method].flat()) entry.methods.add(name)
    served.set(url, entry)
  })
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request)
    const allowed = [...served.values()].filter(entry => entry.path.test(path)).flatMap(entry => [...entry.methods])
    if (allowed.length > 0 && !allowed.includes(request.method)) {
      const list = [...new Set(allowed)].join(', ')
      reply.header('allow', list)
      const problem = new Problem('method_not_allowed', `${request.method} is not served here; ${list} is.`)
      return send(request, reply, problem)
    }
    const problem = new Problem('not_found', `Nothing is served at ${shortened(path)}.`)
    return pages(request, reply, problem) ?? send(request, reply, problem)
  })
}

function pattern(url: string): RegExp {
  const parts = url
    .split('/')
    .map(part => (part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
  return new RegExp(`^${parts.join('/').replace(/\/$/, '')}/?$`)
}

const shortened = (path: string): string => (path.length > 200 ? `${path.slice(0, 200)}…` : path)
