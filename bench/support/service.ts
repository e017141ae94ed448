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

const ANSWER_MS = 60_000
const BOUNDARY = 'keepsake-bench'
export const multipartType = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }

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

export interface Answer {
  status: number
  text: string
}

export interface Service {
  /** Empty when it has no API. */
  url: string
  pid: number
  /** Sent as bytes that lie ready: what a client does to make them is not the service's. */
  ask(path: string, body?: Buffer, more?: Record<string, string>): Promise<Answer>
  make<Made = unknown>(path: string, body: object): Promise<Made>
  change(path: string, body: object): Promise<void>
  stop(): Promise<void>
}

const TOKEN = 'the-token-of-the-benchmarks'
const headers = { authorization: `Bearer ${TOKEN}` }

const ours = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

/** `more`: settings beside those that the benchmarks need. */
export async function startService(data: string, more: Record<string, string> = {}, main = ours): Promise<Service> {
  const env = {
    PATH: process.env.PATH ?? '',
    KEEPSAKE_DATA: data,
    PORT: '0',
    KEEPSAKE_ALLOW_HOSTS: '127.0.0.1',
    KEEPSAKE_LOG_LEVEL: 'warn',
    KEEPSAKE_ADMIN_TOKEN: TOKEN,
    ...more,
  }
  // In a session of its own, as a terminal or an init gives it one: the scheduler shares the processor between sessions.
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  const end = () => void child.kill()
  process.once('exit', end)
  const url = await urlOf(child)
  const agent = new Agent({ keepAlive: true })
  return {
    url,
    pid: child.pid as number,
    ask: (path, body, more = {}) => ask(agent, url + path, body, { ...headers, ...more }),
    make: (path, body) => sendJson('POST', url + path, body),
    change: (path, body) => sendJson('PATCH', url + path, body),
    async stop() {
      agent.destroy()
      child.kill('SIGTERM')
      await once(child, 'exit')
      process.off('exit', end)
    },
  }
}

async function sendJson<Made>(method: string, url: string, body: object): Promise<Made> {
  const type = { 'content-type': 'application/json' }
  const answer = await fetch(url, { method, headers: { ...headers, ...type }, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(await answer.text())
  return (await answer.json()) as Made
}

/** Reads on for as long as it runs: what it says later goes nowhere, but can be said. */
function urlOf(child: ChildProcess): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let said = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-10_000)
    if (said.includes('Data folder')) resolve(/Console\s+(http\S+)/.exec(said)?.[1] ?? '')
  })
  child.once('exit', () => reject(new Error(`the service did not start: ${said}`)))
  return promise
}

export function ask(
  agent: Agent,
  url: string,
  body: Buffer | undefined,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const type = body ? { ...multipartType, 'content-length': body.length } : {}
  const asking = request(url, { method: body ? 'POST' : 'GET', agent, headers: { ...headers, ...type } })
  asking.on('error', reject).on('response', answer => {
    let text = ''
    answer.setEncoding('utf8').on('data', piece => (text += piece))
    answer.on('error', reject).on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
  })
  asking.setTimeout(ANSWER_MS, () => asking.destroy(new Error('no answer')))
  asking.end(body)
  return promise
}
