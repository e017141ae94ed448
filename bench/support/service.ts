// The whole service as a process of its own, a receiver of callbacks, and a client that costs next to nothing.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'

export interface Receiver {
  url: string
  waitFor(count: number): Promise<void>
  reset(): void
  stop(): void
}

export async function startReceiver(): Promise<Receiver> {
  let seen = 0
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    request.resume().on('end', () => {
      response.end()
      seen++
      server.emit('callback')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async waitFor(count) {
      while (seen < count) await once(server, 'callback')
    },
    reset: () => {
      seen = 0
    },
    stop: () => server.close(),
  }
}

const BOUNDARY = 'keepsake-bench'

export function multipart(fields: Record<string, string>, file: Buffer, field = 'data'): Buffer {
  const part = (name: string, more = '') =>
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n`
  const before = Object.entries(fields).map(([name, value]) => `${part(name)}${value}\r\n`)
  return Buffer.concat([
    Buffer.from(`${before.join('')}${part(field, '; filename="photo.jpg"')}`),
    file,
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ])
}

export interface Service {
  url: string
  pid: number
  /** Sent as bytes that lie ready: what a client does to make them is not the service's. */
  ask(path: string, body?: Buffer): Promise<{ status: number; text: string }>
  make(path: string, body: object): Promise<void>
  stop(): Promise<void>
}

const TOKEN = 'the-token-of-the-benchmarks'
const headers = { authorization: `Bearer ${TOKEN}` }

export async function startService(data: string): Promise<Service> {
  const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
  const env = {
    PATH: process.env.PATH ?? '',
    KEEPSAKE_DATA: data,
    PORT: '0',
    KEEPSAKE_ALLOW_HOSTS: '127.0.0.1',
    KEEPSAKE_LOG_LEVEL: 'warn',
    KEEPSAKE_ADMIN_TOKEN: TOKEN,
  }
  // In a session of its own, as a terminal or an init gives it one: the scheduler shares the processor between sessions.
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  process.once('exit', () => child.kill())
  const url = await urlOf(child)
  const agent = new Agent({ keepAlive: true })
  return {
    url,
    pid: child.pid as number,
    ask: (path, body) => ask(agent, url + path, body),
    async make(path, body) {
      const made = await fetch(url + path, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      if (made.status !== 201) throw new Error(await made.text())
    },
    async stop() {
      agent.destroy()
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

async function urlOf(child: ChildProcess): Promise<string> {
  let said = ''
  for await (const chunk of child.stdout ?? []) {
    said += chunk
    const url = /Console\s+(http\S+)/.exec(said)?.[1]
    if (!url) continue
    child.stdout?.resume()
    return url
  }
  throw new Error(`the service did not start: ${said}`)
}

function ask(agent: Agent, url: string, body?: Buffer): Promise<{ status: number; text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>()
  const type = body
    ? { 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, 'content-length': body.length }
    : {}
  const asking = request(url, { method: body ? 'POST' : 'GET', agent, headers: { ...headers, ...type } })
  asking.on('error', reject).on('response', answer => {
    let text = ''
    answer.setEncoding('utf8').on('data', piece => (text += piece))
    answer.on('error', reject).on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
  })
  asking.end(body)
  return promise
}
