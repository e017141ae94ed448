// Server-sent events of a whole list: which tasks changed, gathered for a moment, so that a burst is a few events.
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { visibleAmong } from '#tasks/read.ts'
import type { Resource } from './app.ts'
import { eventAnswers } from './events.ts'
import type { Services } from './services.ts'

const BEAT_MS = 15_000
const GATHER_MS = 400
/** More than this at once is told as "some were missed": the reader asks for the list anew. */
const MOST = 500

export const listEvents: Resource = (app, services) => {
  const closing = new AbortController()
  app.addHook('preClose', async () => closing.abort())
  for (const [path, noun, isGroup] of [
    ['/api/task/events/', 'tasks', false],
    ['/api/taskgroup/events/', 'task groups', true],
  ] as const)
    app.get(
      path,
      {
        config: { scope: 'read' },
        schema: {
          tags: [isGroup ? 'Task groups' : 'Tasks'],
          summary: `Follow all ${noun}`,
          description:
            'Server-sent events: `changed` with `task_ids`, at most a few each second; `missed` when the list must be read anew.',
          response: eventAnswers,
        },
      },
      async (request, reply) => streamList(services, request, reply, isGroup, closing.signal),
    )
}

async function streamList(
  { db, changes, log }: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  isGroup: boolean,
  closing: AbortSignal,
): Promise<void> {
  const { raw } = reply.hijack()
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    'x-request-id': request.id,
  })
  const gone = new AbortController()
  raw.on('close', () => gone.abort())
  closing.addEventListener('abort', () => gone.abort(), { signal: gone.signal })
  const changed = new Set<string>()
  let missed = false
  let woken = Promise.withResolvers<void>()
  using _watching = changes.watchAll(taskId => {
    if (taskId === null || changed.size >= MOST) missed = true
    else changed.add(taskId)
    woken.resolve()
  })
  gone.signal.addEventListener('abort', () => woken.resolve())
  const beat = setInterval(() => raw.write(': still here\n\n'), BEAT_MS)
  const send = (event: string, data: object): void =>
    void raw.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  raw.write(': following\n\n')
  try {
    while (!gone.signal.aborted) {
      await woken.promise
      await pause(GATHER_MS, undefined, { signal: gone.signal })
      woken = Promise.withResolvers()
      const ids = [...changed]
      changed.clear()
      const visible = await visibleAmong(db, request.access.experiences, isGroup, ids)
      if (visible.length > 0) send('changed', { task_ids: visible })
      if (missed) send('missed', {})
      missed = false
    }
  } catch (error) {
    // The reader connects again by itself and then reads the list anew.
    if (!gone.signal.aborted) log.warn({ err: error }, 'an event stream of a list ended early')
  } finally {
    clearInterval(beat)
    raw.end()
  }
}
