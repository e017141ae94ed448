// Server-sent events of one task: its state and every entry, from where the reader left off until the end.
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { type WholeTask, wholeTask } from '#tasks/read.ts'
import { entryView, requestView } from '#tasks/view.ts'
import type { Services } from './services.ts'

const BEAT_MS = 15_000
const ENDED: readonly string[] = ['Succeeded', 'Failed', 'Cancelled']

export const eventHeaders = Type.Object({
  'Last-Event-ID': Type.Optional(
    Type.String({ description: 'The last event that was seen: what came after is sent.' }),
  ),
})
export const eventAnswers = {
  200: {
    description: 'Events, for as long as both sides are there.',
    content: { 'text/event-stream': { schema: { type: 'string' } } },
  },
}

export async function streamTask(
  { db, changes, log }: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  first: WholeTask,
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
  let seen = Number(/^\d{1,15}$/.exec(String(request.headers['last-event-id'] ?? ''))?.[0] ?? 0)
  let changed = Promise.withResolvers<void>()
  using _watching = changes.watch(first.task_id, () => changed.resolve())
  gone.signal.addEventListener('abort', () => changed.resolve())
  const beat = setInterval(() => raw.write(': still here\n\n'), BEAT_MS)
  const send = (event: string, id: number, data: object): void =>
    void raw.write(`event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`)
  try {
    while (!gone.signal.aborted) {
      changed = Promise.withResolvers()
      const task = await wholeTask(db, first.task_id)
      if (!task) break
      seen = tell(task, seen, send)
      if (ENDED.includes(task.status)) {
        send('end', seen, { status: task.status })
        break
      }
      await changed.promise
    }
  } catch (error) {
    // The reader connects again by itself and goes on where it was.
    log.warn({ err: error, task_id: first.task_id }, 'an event stream ended early')
  } finally {
    clearInterval(beat)
    raw.end()
  }
}

/** Sends what changed after `seen`, in the order it changed; answers the newest change. */
function tell(task: WholeTask, seen: number, send: (event: string, id: number, data: object) => void): number {
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
  for (const { id, event, data } of news) send(event, id, data)
  return Math.max(seen, ...news.map(({ id }) => id))
}
