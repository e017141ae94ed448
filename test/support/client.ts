// A client of the API for tests; every answer it gets is held against the published OpenAPI document.
import assert from 'node:assert/strict'
import { type Conforms, newConforms } from './conforms.ts'
import { onceInRun } from './once-in-run.ts'
import { soon } from './until.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever JSON came back
type Body = any

export interface Answer {
  status: number
  headers: Headers
  body: Body
}

export interface Client {
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown): Promise<Answer>
  put(path: string, body: unknown): Promise<Answer>
  patch(path: string, body: unknown): Promise<Answer>
  delete(path: string): Promise<Answer>
  /** Text or bytes as they are, with headers of one's own. */
  send(method: string, path: string, init?: RequestInit): Promise<Answer>
  /** The same with another token; null: with none. */
  as(token: string | null): Client
}

/** Above the time of the slowest answer: a preview or a check on a busy machine. */
const ANSWER_MS = 120_000

interface Server {
  url: string
  token: string
  /** A name for the adapters it has: servers with the same ones publish the same document. Without it, it is asked itself. */
  adapters?: 'built-in' | 'samples'
}

const documents = new Map<string, Promise<Conforms>>()

/** Asked for once for each server, or each kind of server in a run: to make a document is much work. */
function conformsTo({ url, adapters }: Server): Promise<Conforms> {
  const key = adapters ?? url
  let known = documents.get(key)
  if (!known) {
    const text = adapters ? onceInRun(`openapi-${adapters}.json`, () => documentOf(url)) : documentOf(url)
    known = text.then(document => newConforms(JSON.parse(document)))
    documents.set(key, known)
  }
  return known
}

async function documentOf(url: string): Promise<string> {
  const answer = await fetch(`${url}/api/openapi.json`)
  assert.equal(answer.status, 200, 'a refusal would be kept for the whole run')
  return answer.text()
}

/** Which operations of a server answered with which statuses, and as the document says. */
export const seen = new Map<string, Map<string, Set<number>>>()

function note(url: string, operation: string, status: number): void {
  const operations = seen.get(url) ?? new Map<string, Set<number>>()
  seen.set(url, operations.set(operation, (operations.get(operation) ?? new Set()).add(status)))
}

export function newClient(server: Server, token: string | null = server.token): Client {
  async function send(method: string, path: string, init: RequestInit = {}): Promise<Answer> {
    const headers = new Headers(init.headers)
    if (token !== null && !headers.has('authorization')) headers.set('authorization', `Bearer ${token}`)
    const signal = init.signal ?? AbortSignal.timeout(ANSWER_MS)
    const response = await soon(
      `${method} ${path} is answered`,
      fetch(server.url + path, { ...init, method, headers, redirect: 'manual', signal }),
      ANSWER_MS,
    )
    const text = await soon(`${method} ${path} is answered to the end`, response.text(), ANSWER_MS)
    const type = response.headers.get('content-type') ?? ''
    // An answer to HEAD has no body.
    if (response.status >= 400 && method !== 'HEAD') {
      assert.match(type, /^application\/problem\+json/, `${method} ${path} answered ${response.status} as ${type}`)
      assert.equal(JSON.parse(text).status, response.status)
    }
    const isJson = /[/+]json/.test(type) && text !== ''
    const body = isJson ? JSON.parse(text) : text
    if (path.startsWith('/api/')) {
      const conforms = await conformsTo(server)
      const operation = conforms({ method, path, status: response.status, headers: response.headers, body })
      if (operation !== null) note(server.url, operation, response.status)
    }
    return { status: response.status, headers: response.headers, body }
  }
  const json = (method: string) => (path: string, body?: unknown) =>
    send(
      method,
      path,
      body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } },
    )
  return {
    get: path => send('GET', path),
    post: json('POST'),
    put: json('PUT'),
    patch: json('PATCH'),
    delete: path => send('DELETE', path),
    send,
    as: other => newClient(server, other),
  }
}

/** What an address answers with. The body is read to its end: an answer that nobody reads keeps its connection, and who serves it, open. */
export async function statusOf(...request: Parameters<typeof fetch>): Promise<number> {
  const answer = await fetch(...request)
  await answer.arrayBuffer()
  return answer.status
}
