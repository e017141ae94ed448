// Server-sent events of one task: its state and every entry, from the reader's last event until the end.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type WholeTask, wholeTask } from '#db/tasks/task-rows.ts'
import { hasEnded } from '#tasks/entry/loaded.ts'
import { entryView, requestView } from '#tasks/show/view.ts'
import type { Context } from '../route/route.ts'
import { type EventStream, openEventStream, readerOf } from '../wire/event-stream.ts'

export async function streamTask(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  first: WholeTask,
  closing: AbortSignal,
): Promise<void> {
  const { db, changes, log } = context
  using stream = openEventStream(context, readerOf(context, request, reply, closing))
  const before = Number(/^\d{1,15}$/.exec(String(request.headers['last-event-id'] ?? ''))?.[0] ?? 0)
  const { tell, newest } = teller(stream, before)
  let changed = Promise.withResolvers<void>()
  using _watching = changes.watch(first.task_id, () => changed.resolve())
  stream.gone.addEventListener('abort', () => changed.resolve())
  try {
    while (!stream.gone.aborted) {
      changed = Promise.withResolvers()
      const task = await wholeTask(db, first.task_id)
      if (!task) break
      tell(task)
      if (hasEnded(task)) {
        stream.send('end', { status: task.status }, newest())
        break
      }
      if (stream.gone.aborted) break
      await changed.promise
    }
  } catch (error) {
    // The reader reconnects by itself and continues where it was.
    log.warn({ err: error, task_id: first.task_id }, 'an event stream ended early')
  }
}

/**
 * Sends what has changed, in order of the change numbers. A number is taken before its change commits, so a lower one may appear later.
 * So each entry is compared with what was last sent of that entry. Only the first time it is compared with the reader's last number.
 */
function teller(stream: EventStream, before: number): { tell(task: WholeTask): void; newest(): number } {
  const told = new Map<string, number>()
  let newest = before
  return {
    newest: () => newest,
    tell(task) {
      const entries = task.chains.flatMap(chain =>
        chain.entries.map(entry => ({
          key: `${chain.chain_id} ${entry.index}`,
          id: entry.change,
          event: 'entry',
          data: { chain_id: chain.chain_id, ...entryView(entry) } as object,
        })),
      )
      const all = [...entries, { key: '', id: task.change, event: 'task', data: requestView(task) as object }]
      const news = all.filter(({ key, id }) => id > (told.get(key) ?? before)).sort((a, b) => a.id - b.id)
      for (const { key, id } of all) told.set(key, Math.max(id, told.get(key) ?? 0))
      for (const { id, event, data } of news) {
        newest = Math.max(newest, id)
        stream.send(event, data, newest)
      }
    },
  }
}
