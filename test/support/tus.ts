// Single requests of the tus protocol, whole and cut off at any byte.
import { createHash } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { soon } from './until.ts'

export interface TusAnswer {
  status: number
  headers: Headers
  /** The problem, or an empty text. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever JSON came back
  body: any
}

interface OpenAppend {
  end(): void
  closed: Promise<void>
  /** Of the answer, should one come. */
  status: Promise<number>
}

export interface Tus {
  send(method: string, path: string, headers?: Record<string, string>, body?: Uint8Array | string): Promise<TusAnswer>
  /** Begins an upload and answers its path. */
  begin(length: number, headers?: Record<string, string>): Promise<string>
  offset(path: string): Promise<number>
  append(path: string, offset: number, bytes: Uint8Array, headers?: Record<string, string>): Promise<TusAnswer>
  /** Announces all of the bytes, sends the first `cut` of them, and breaks the connection after a while. */
  appendCut(path: string, offset: number, bytes: Buffer, cut: number, afterMs?: number): Promise<void>
  /** Announces the bytes, sends the first `sent` of them, and leaves the rest open. */
  appendOpen(path: string, offset: number, bytes: Buffer, sent: number): OpenAppend
  /** The same, but never silent: after those bytes one comes now and then. */
  appendSlowly(path: string, offset: number, bytes: Buffer, sent: number): { end(): void; closed: Promise<void> }
}

export const PIECE = 'application/offset+octet-stream'
export const idOf = (path: string): string => path.split('/').filter(Boolean).at(-1) ?? ''
export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
export const named = (filename: string): string => `filename ${Buffer.from(filename).toString('base64')}`

export function newTus(url: () => string, token: string): Tus {
  const common = { authorization: `Bearer ${token}`, 'tus-resumable': '1.0.0' }

  async function send(
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: Uint8Array | string,
  ): Promise<TusAnswer> {
    const all = Object.fromEntries(Object.entries({ ...common, ...headers }).filter(([, value]) => value !== ''))
    const init = {
      method,
      headers: all,
      ...(body === undefined ? {} : { body: body as NonNullable<RequestInit['body']> }),
    }
    const answer = await soon(`${method} ${path} is answered`, fetch(url() + path, init))
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.includes('json') && text !== ''
    return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(text) : text }
  }

  /** A request whose body is never completed. */
  function open(path: string, offset: number, bytes: Buffer, sent: number) {
    const { hostname, port } = new URL(url())
    const headers = { ...common, 'content-type': PIECE, 'upload-offset': offset, 'content-length': bytes.length }
    const request = httpRequest({ hostname, port, path, method: 'PATCH', headers, agent: false })
    const closed = new Promise<void>(resolve => {
      request.on('close', resolve)
      request.on('error', () => resolve())
    })
    const status = new Promise<number>(resolve => {
      request.on('response', response => resolve(response.resume().statusCode ?? 0))
    })
    const written = new Promise<void>(resolve => {
      request.flushHeaders()
      if (sent === 0) request.once('socket', socket => socket.once('connect', () => setImmediate(resolve)))
      else request.write(bytes.subarray(0, sent), () => resolve())
      void closed.then(resolve)
    })
    return { request, closed, status, written }
  }

  return {
    send,
    async begin(length, headers = {}) {
      const answer = await send('POST', '/api/upload/', { 'upload-length': String(length), ...headers })
      if (answer.status !== 201) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.headers.get('location') ?? ''
    },
    async offset(path) {
      const answer = await send('HEAD', path)
      if (answer.status !== 200) throw new Error(`HEAD answered ${answer.status}`)
      return Number(answer.headers.get('upload-offset'))
    },
    append: (path, offset, bytes, headers = {}) =>
      send('PATCH', path, { 'content-type': PIECE, 'upload-offset': String(offset), ...headers }, bytes),
    async appendCut(path, offset, bytes, cut, afterMs = 0) {
      const { request, closed, written } = open(path, offset, bytes, cut)
      await soon('the bytes are sent', written)
      await sleep(afterMs)
      request.destroy()
      await soon('the connection is closed', closed)
    },
    appendOpen(path, offset, bytes, sent) {
      const { request, closed, status } = open(path, offset, bytes, sent)
      return { end: () => void request.destroy(), closed, status }
    },
    appendSlowly(path, offset, bytes, sent) {
      const { request, closed } = open(path, offset, bytes, sent)
      let next = sent
      const drip = setInterval(() => request.write(bytes.subarray(next, ++next)), 300)
      void closed.then(() => clearInterval(drip))
      return { end: () => void request.destroy(), closed }
    },
  }
}
