// Server-sent events of one task: its state and every entry, from where the reader left off until the end.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type WholeTask, wholeTask } from '#tasks/read.ts'
import { entryView, requestView } from '#tasks/view.ts'
import type { House } from './app.ts'
import { type EventStream, openEventStream } from './event-stream.ts'

const ENDED: readonly string[] = ['Succeeded', 'Failed', 'Cancelled']

export async function streamTask(
  house: House,
  request: FastifyRequest,
  reply: FastifyReply,
  first: WholeTask,
  closing: AbortSignal,
): Promise<void> {
  const { db, changes, log } = house
  using stream = openEventStream(house, request, reply, closing)
  let seen = Number(/^\d{1,15}$/.exec(String(request.headers['last-event-id'] ?? ''))?.[0] ?? 0)
  let changed = Promise.withResolvers<void>()
  using _watching = changes.watch(first.task_id, () => changed.resolve())
  stream.gone.addEventListener('abort', () => changed.resolve())
  try {
    while (!stream.gone.aborted) {
      changed = Promise.withResolvers()
      const task = await wholeTask(db, first.task_id)
      if (!task) break
      seen = tell(task, seen, stream)
      if (ENDED.includes(task.status)) {
        stream.send('end', { status: task.status }, seen)
        break
      }
      if (stream.gone.aborted) break
      await changed.promise
    }
  } catch (error) {
    // The reader connects again by itself and goes on where it was.
    log.warn({ err: error, task_id: first.task_id }, 'an event stream ended early')
  }
}

/** Sends what changed after `seen`, in the order it changed; answers the newest change. */
function tell(task: WholeTask, seen: number, stream: EventStream): number {
  const entries = task.chains.flatMap(chain =>
    chain.entries.map(entry => ({
      id: entry.change,
      event: 'entry',
      data: { chain_id: chain.chain_id, ...entryView(entry) } as object,
    })),
  )
  const news = [...entries, { id: task.change, event: 'task', data: requestView(task) as object }]
    .filter(({ id }) => id > seen)
    .sort((a, b) => a.id - b.id)
  for (const { id, event, data } of news) stream.send(event, data, id)
  return Math.max(seen, ...news.map(({ id }) => id))
}
