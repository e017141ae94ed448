// What happens to the page of a guest, told as it happens.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isOver, type OpenedKeepsake, openPage } from '#guests/keepsakes.ts'
import { type PageState, pageState } from '#guests/page-state.ts'
import { type Visit, visitOf } from '#guests/visits.ts'
import { plainGuestPage } from '#kit/guest/guest-page.ts'
import type { Context } from '../route/route.ts'
import { openEventStream } from '../wire/event-stream.ts'
import { leftText, markOf } from './guest-html.ts'
import { words } from './guest-words.ts'

/** Of one keepsake, and of all. */
export const MOST_STREAMS = 50
export const MOST_STREAMS_OF_ALL = 5_000

interface Following {
  request: FastifyRequest
  reply: FastifyReply
  closing: AbortSignal
  place: Disposable
  code: string
  row: OpenedKeepsake
  /** That the guest has said who it is. */
  proof: string | null
}

/** Sends the state of the page whenever it changes, until the reader or the keepsake is gone. */
export async function follow(
  context: Context,
  { request, reply, closing, place, code, row, proof }: Following,
): Promise<void> {
  const { db, changes, settings, waits, log } = context
  using stream = openEventStream(context, { request, reply, closing, place, look: async () => true })
  const say = words[(row.guest_page ?? plainGuestPage).language]
  let sent = ''
  let open: OpenedKeepsake | undefined = row
  try {
    while (!stream.gone.aborted) {
      const changed = Promise.withResolvers<void>()
      if (!open || open.erased_at || isOver(open, settings)) return stream.send('gone', {})
      const state = await pageState(db, row.keepsake_id)
      const visit = await visitOf(context, open, proof)
      const watching = state.taskIds.map(id => changes.watch(id, () => changed.resolve()))
      const timer = setTimeout(() => changed.resolve(), waits.guestPageMs)
      const stop = () => changed.resolve()
      stream.gone.addEventListener('abort', stop)
      try {
        const told = JSON.stringify(toldOf(state, visit))
        if (told !== sent) stream.send('state', toldOf(state, visit))
        sent = told
        await changed.promise
        open = await openPage(db, code)
      } finally {
        stream.gone.removeEventListener('abort', stop)
        clearTimeout(timer)
        for (const each of watching) each[Symbol.dispose]()
      }
    }
  } catch (error) {
    // The browser connects again by itself.
    log.warn({ err: error, keepsake_id: row.keepsake_id }, 'an event stream ended early')
  }

  function toldOf(state: PageState, visit: Visit) {
    return {
      mark: markOf(state, visit),
      files: state.files.map(file => ({
        number: file.number,
        state: file.state,
        progress: Math.round(file.progress * 100) / 100,
        seconds_left: file.secondsLeft,
        left: leftText(say, file),
      })),
    }
  }
}
