// A small server of the tus protocol 1.0 (creation, termination) that misbehaves when it is told to. It keeps what it was sent in memory.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Received, type Receiver, startReceiver } from '../support/https-receiver.ts'

export interface KeptUpload {
  length: number
  data: Buffer
  metadata: string
}

/** What happens to the next PATCH: cut off after so many bytes, not answered, answered with a status, or taken well. */
export type Fault = { cutAfter: number } | 'unanswered' | 'well' | { status: number; retryAfter?: number }

export interface TusServer extends Pick<Receiver, 'url' | 'stop'> {
  uploads: Map<string, KeptUpload>
  /** Method and path of every request, in order. */
  asked: string[]
  faults: Fault[]
  /** Requests to other paths, with their bodies. */
  others: Received[]
}

export async function startTus({ isServed = true } = {}): Promise<TusServer> {
  const uploads = new Map<string, KeptUpload>()
  const asked: string[] = []
  const faults: Fault[] = []
  const others: Received[] = []

  async function create(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = `upload-${uploads.size + 1}`
    const length = Number(request.headers['upload-length'])
    uploads.set(id, { length, data: Buffer.alloc(0), metadata: String(request.headers['upload-metadata']) })
    response.writeHead(201, { location: `/api/upload/${id}`, 'tus-resumable': '1.0.0' }).end()
  }

  async function append(request: IncomingMessage, response: ServerResponse, kept: KeptUpload): Promise<void> {
    const fault = faults.shift() ?? 'well'
    if (typeof fault === 'object' && 'status' in fault)
      return problem(response, fault.status, fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter })
    if (request.headers['content-type'] !== 'application/offset+octet-stream') return problem(response, 415)
    if (Number(request.headers['upload-offset']) !== kept.data.length) return problem(response, 409)
    let left = typeof fault === 'object' ? fault.cutAfter : Number.POSITIVE_INFINITY
    for await (const piece of request as AsyncIterable<Buffer>) {
      kept.data = Buffer.concat([kept.data, piece.subarray(0, left)])
      left -= piece.length
      if (left <= 0) return void request.socket.destroy()
    }
    if (fault === 'unanswered') return void request.socket.destroy()
    response.writeHead(204, { 'upload-offset': kept.data.length, 'tus-resumable': '1.0.0' }).end()
  }

  async function other(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>))
    others.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body })
    response.writeHead(202, { 'content-type': 'application/json' }).end('{"task_id":"t","status":"Waiting"}')
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request
    asked.push(`${method} ${url}`)
    if (!url.startsWith('/api/upload')) return await other(request, response)
    if (!isServed) return problem(response, 404)
    if (request.headers['tus-resumable'] !== '1.0.0') return problem(response, 412)
    if (method === 'POST' && url === '/api/upload/') return await create(request, response)
    const id = url.slice('/api/upload/'.length)
    const kept = uploads.get(id)
    if (!kept) return problem(response, 404)
    if (method === 'PATCH') return await append(request, response, kept)
    if (method === 'DELETE') uploads.delete(id)
    response
      .writeHead(method === 'DELETE' ? 204 : 200, {
        'upload-offset': kept.data.length,
        'upload-length': kept.length,
        'cache-control': 'no-store',
        'tus-resumable': '1.0.0',
      })
      .end()
  }

  const { url, stop } = await startReceiver({
    // A client that was cut off leaves an error here, which is what was wanted.
    raw: (request, response) => void answer(request, response).catch(() => request.socket.destroy()),
  })
  return { url, stop, uploads, asked, faults, others }
}

function problem(response: ServerResponse, status: number, headers: Record<string, string | number> = {}): void {
  response.writeHead(status, { 'content-type': 'application/problem+json', ...headers })
  response.end(JSON.stringify({ status, code: `code_${status}`, title: 'No', detail: 'No.' }))
}
