// How clients reach the API: any machine will do, connections break, and answers are kept an eye on.
import { setMaxListeners } from 'node:events'
import { Agent, request as httpRequest } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { BOUNDARY } from '../multipart.ts'

export interface Reply {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: whatever JSON came back
  body: any
}

export interface Door {
  /** A request to one machine after the other, with JSON or the bytes of a form; null when the connection broke or nobody answered. */
  ask(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<Reply | null>
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
  // So many may be under way at once.
  setMaxListeners(0, over.signal)
  // `fetch` takes several times as long for a connection that is refused, of which there are thousands.
  const agent = new Agent({ keepAlive: true })
  let turn = 0

  function exchange(url: string, method: string, headers: Record<string, string>, body: string | Buffer) {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>()
    const options = { method, agent, signal: over.signal, headers: { authorization: `Bearer ${token}`, ...headers } }
    const request = httpRequest(url, options, response => {
      textOf(response).then(text => resolve({ status: response.statusCode ?? 0, text }), reject)
    })
    const late = setTimeout(() => request.destroy(new Error('no answer in time')), ANSWER_MS)
    request.on('error', reject).end(body)
    return promise.finally(() => clearTimeout(late))
  }

  const door: Door = {
    strange: [],
    close() {
      over.abort()
      agent.destroy()
    },
    async ask(method, path, body, headers = {}) {
      const url = urls[turn++ % urls.length] as string
      const isForm = Buffer.isBuffer(body)
      const bytes = body === undefined ? '' : isForm ? body : JSON.stringify(body)
      const type = isForm ? `multipart/form-data; boundary=${BOUNDARY}` : 'application/json'
      const about = body === undefined ? {} : { 'content-type': type }
      try {
        const { status, text } = await exchange(url + path, method, { ...about, ...headers }, bytes)
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
