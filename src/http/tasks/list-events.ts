// Server-sent events of a list: which tasks changed. Changes are collected for a moment, so a burst becomes a few events.
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { listVisible } from '#db/tasks/task-lists.ts'
import type { Context, Resource } from '../route/route.ts'
import { eventAnswers, openEventStream, readerOf } from '../wire/event-stream.ts'

const GATHER_MS = 400
/** If more visible tasks change at once, the event says that some were missed, and the reader reads the list again. */
const MOST = 500
/** How many changed tasks are collected over all experiences: more than can change in that time, so a reader learns nothing of others' load. */
const MOST_OF_ALL = 20_000

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
          operationId: isGroup ? 'followTaskGroups' : 'followTasks',
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
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  isGroup: boolean,
  closing: AbortSignal,
): Promise<void> {
  const { db, changes, log } = context
  using stream = openEventStream(context, readerOf(context, request, reply, closing))
  const { gone } = stream
  const changed = new Set<string>()
  let missed = false
  let woken = Promise.withResolvers<void>()
  using _watching = changes.watchAll(taskId => {
    if (taskId === null || changed.size >= MOST_OF_ALL) missed = true
    else changed.add(taskId)
    woken.resolve()
  })
  gone.addEventListener('abort', () => woken.resolve())
  stream.note('following')
  try {
    while (!gone.aborted) {
      await woken.promise
      await pause(GATHER_MS, undefined, { signal: gone })
      woken = Promise.withResolvers()
      const ids = [...changed]
      changed.clear()
      const visible: string[] = []
      for (let at = 0; at < ids.length && visible.length <= MOST; at += MOST)
        visible.push(...(await listVisible(db, request.access.experiences, isGroup, ids.slice(at, at + MOST))))
      if (visible.length > MOST) missed = true
      else if (visible.length > 0) stream.send('changed', { task_ids: visible })
      if (missed) stream.send('missed', {})
      missed = false
    }
  } catch (error) {
    // The reader reconnects by itself and reads the list again.
    if (!gone.aborted) log.warn({ err: error }, 'an event stream of a list ended early')
  }
}
