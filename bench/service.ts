// What the service costs around the pixels: throughput and latency of photo tasks against a bare loop of sharp.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { median, table } from './support/cpu.ts'
import { photo } from './support/photos.ts'

const TASKS = Number(process.argv[2] ?? 200)
const ROUNDS = 3
const AT_ONCE = availableParallelism() * 2

sharp.concurrency(1)
sharp.cache(false)

/** The same pixels without a service: decode, turn, encode. */
const bare = (bytes: Buffer): Promise<Buffer> => sharp(bytes).rotate(180).jpeg({ quality: 90 }).toBuffer()

async function bareLoop(bytes: Buffer, count: number): Promise<number> {
  const begun = performance.now()
  let left = count
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (left-- > 0) await bare(bytes)
    }),
  )
  return performance.now() - begun
}

interface Receiver {
  url: string
  waitFor(count: number): Promise<void>
  reset(): void
  stop(): void
}

async function startReceiver(): Promise<Receiver> {
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

function multipart(fields: Record<string, string>, file: Buffer): Buffer {
  const part = (name: string, more = '') =>
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n`
  const before = Object.entries(fields).map(([name, value]) => `${part(name)}${value}\r\n`)
  return Buffer.concat([
    Buffer.from(`${before.join('')}${part('data', '; filename="photo.jpg"')}`),
    file,
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ])
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM')
  await once(child, 'exit')
}

async function startService(data: string) {
  const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
  const env = {
    PATH: process.env.PATH ?? '',
    KEEPSAKE_DATA: data,
    PORT: '0',
    KEEPSAKE_ALLOW_HOSTS: '127.0.0.1',
    KEEPSAKE_LOG_LEVEL: 'warn',
    KEEPSAKE_ADMIN_TOKEN: 'bench',
  }
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  for await (const chunk of child.stdout) {
    said += chunk
    const url = /Console\s+(http\S+)/.exec(said)?.[1]
    if (url) {
      child.stdout.resume()
      return { url, stop: () => stop(child) }
    }
  }
  throw new Error(`the service did not start: ${said}`)
}

const data = await mkdtemp(join(tmpdir(), 'keepsake-bench-'))
const receiver = await startReceiver()
const service = await startService(data)
const headers = { authorization: 'Bearer bench' }
try {
  const bytes = await photo(1632, 1224).jpeg({ quality: 90 }).toBuffer()
  const flip = {
    configuration_name: 'flip',
    experience_id: 'bench',
    adapter_name: 'photo_flip',
    adapter_config: { auth: {}, defaults: { method: 'ROTATE_180' } },
    webhook_url: receiver.url,
  }
  const made = await fetch(`${service.url}/api/configuration/`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(flip),
  })
  if (made.status !== 201) throw new Error(await made.text())
  const agent = new Agent({ keepAlive: true })
  const body = multipart({ configuration_name: 'flip' }, bytes)
  /** Sent as bytes that lie ready: what a client does to make them is not the service's. */
  const ask = (path: string, send?: Buffer): Promise<{ status: number; text: string }> => {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>()
    const type = send
      ? { 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, 'content-length': send.length }
      : {}
    const asking = request(`${service.url}${path}`, {
      method: send ? 'POST' : 'GET',
      agent,
      headers: { ...headers, ...type },
    })
    asking.on('error', reject).on('response', answer => {
      let text = ''
      answer.setEncoding('utf8').on('data', piece => (text += piece))
      answer.on('error', reject).on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
    })
    asking.end(send)
    return promise
  }
  const post = async (): Promise<string> => {
    const { status, text } = await ask('/api/task/', body)
    if (status !== 202) throw new Error(text)
    return (JSON.parse(text) as { task_id: string }).task_id
  }
  const throughService = async (count: number): Promise<number> => {
    receiver.reset()
    const begun = performance.now()
    let left = count
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        while (left-- > 0) await post()
      }),
    )
    await receiver.waitFor(count)
    return performance.now() - begun
  }
  await throughService(TASKS)
  await bareLoop(bytes, TASKS)
  const shares: number[] = []
  const waits: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const watching = watch(waits, await post())
    const served = await throughService(TASKS)
    await watching.stop()
    const alone = await bareLoop(bytes, TASKS)
    shares.push(alone / served)
    console.error(
      `round ${round + 1}: ${((TASKS / served) * 1000).toFixed(1)} tasks/s served, ${((TASKS / alone) * 1000).toFixed(1)} alone`,
    )
  }
  /** How long a small request waits while both cores are busy. */
  function watch(into: number[], taskId: string) {
    let over = false
    const asking = (async () => {
      while (!over) {
        const begun = performance.now()
        await ask(`/api/task/${taskId}/`)
        into.push(performance.now() - begun)
        await sleep(20)
      }
    })()
    return {
      async stop() {
        over = true
        await asking
      },
    }
  }
  const overheads: number[] = []
  for (let i = 0; i < 30; i++) {
    receiver.reset()
    const begun = performance.now()
    await post()
    await receiver.waitFor(1)
    const served = performance.now() - begun
    const start = performance.now()
    await bare(bytes)
    overheads.push(served - (performance.now() - start))
  }
  console.log(
    table([
      {
        what: `${TASKS} photo tasks (2 MP), callbacks received, against a bare loop of sharp (time)`,
        value: 1 / median(shares),
        goal: 1.11,
      },
      {
        what: 'one task on an idle service, POST to callback received, minus the bare sharp time',
        value: median(overheads),
        goal: 40,
        unit: ' ms',
      },
      {
        what: 'a request to the API while tasks keep every core busy (99 %)',
        value: waits.toSorted((a, b) => a - b)[Math.floor(waits.length * 0.99)] ?? 0,
        goal: 10,
        unit: ' ms',
      },
    ]),
  )
} finally {
  await service.stop()
  receiver.stop()
  await rm(data, { recursive: true, force: true })
}
