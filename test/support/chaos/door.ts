// How clients reach the API: any machine will do, connections break, and answers are kept an eye on.
import { setTimeout as sleep } from 'node:timers/promises'

export interface Reply {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: whatever JSON came back
  body: any
}

export interface Door {
  /** A request to one machine after the other; null when the connection broke or nobody answered. */
  ask(method: string, path: string, body?: object | FormData, headers?: Record<string, string>): Promise<Reply | null>
  /** The same until there is a clear answer. */
  insist(method: string, path: string, body?: object): Promise<Reply>
  /** Everything that a list holds. */
  list<Item>(path: string): Promise<Item[]>
  /** Answers that no client should ever get. */
  strange: string[]
  /** Ends everything that is under way. */
  close(): void
}

const ANSWER_MS = 30_000
const PAUSE_MS = 200
/** One who insists asks so often. */
const MOST_TRIES = 600
const PAGE = 200

/** No answer, or one that asks to come again: what was asked for may have been done or not. */
export const isUnclear = (reply: Reply | null): boolean => reply === null || [429, 503].includes(reply.status)

export function newDoor(urls: readonly string[], token: string): Door {
  const over = new AbortController()
  let turn = 0
  const door: Door = {
    strange: [],
    close: () => over.abort(),
    async ask(method, path, body, headers = {}) {
      const url = urls[turn++ % urls.length] as string
      const isForm = body instanceof FormData
      try {
        const response = await fetch(url + path, {
          method,
          body: body === undefined ? null : isForm ? body : JSON.stringify(body),
          headers: {
            authorization: `Bearer ${token}`,
            ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
            ...headers,
          },
          signal: AbortSignal.any([over.signal, AbortSignal.timeout(ANSWER_MS)]),
        })
        const text = await response.text()
        const { status } = response
        if (status >= 500 && status !== 503) door.strange.push(`${method} ${path}: ${status} ${text.slice(0, 300)}`)
        return { status, body: text === '' ? null : JSON.parse(text) }
      } catch {
        return null
      }
    },
    async insist(method, path, body) {
      for (let left = MOST_TRIES; left > 0 && !over.signal.aborted; left--) {
        const reply = await door.ask(method, path, body)
        if (reply !== null && !isUnclear(reply)) return reply
        await sleep(PAUSE_MS)
      }
      throw new Error(`${method} ${path} was never answered`)
    },
    async list<Item>(path: string) {
      const items: Item[] = []
      let cursor = ''
      do {
        const { status, body } = await door.insist('GET', `${path}?limit=${PAGE}${cursor}`)
        if (status !== 200) throw new Error(`${path} was answered ${status}: ${JSON.stringify(body)}`)
        items.push(...body.items)
        cursor = body.next_cursor === null ? '' : `&cursor=${encodeURIComponent(body.next_cursor)}`
      } while (cursor !== '')
      return items
    },
  }
  return door
}
