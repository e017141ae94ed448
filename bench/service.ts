// What the service costs around the pixels: throughput and latency of photo tasks against a bare loop of sharp.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
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
  const body = {
    configuration_name: 'flip',
    experience_id: 'bench',
    adapter_name: 'photo_flip',
    adapter_config: { auth: {}, defaults: { method: 'ROTATE_180' } },
    webhook_url: receiver.url,
  }
  const made = await fetch(`${service.url}/api/configuration/`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (made.status !== 201) throw new Error(await made.text())
  const file = new Blob([new Uint8Array(bytes)])
  const post = async (): Promise<void> => {
    const form = new FormData()
    form.append('configuration_name', 'flip')
    form.append('data', file)
    const response = await fetch(`${service.url}/api/task/`, { method: 'POST', headers, body: form })
    if (response.status !== 202) throw new Error(await response.text())
    await response.arrayBuffer()
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
  await throughService(20)
  await bareLoop(bytes, 20)
  const shares: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const [served, alone] = [await throughService(TASKS), await bareLoop(bytes, TASKS)]
    shares.push(alone / served)
    console.error(
      `round ${round + 1}: ${((TASKS / served) * 1000).toFixed(1)} tasks/s served, ${((TASKS / alone) * 1000).toFixed(1)} alone`,
    )
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
        what: `throughput of a bare sharp loop over that of ${TASKS} photo tasks with callbacks (2 MP)`,
        value: 1 / median(shares),
        goal: 1 / 0.85,
      },
      {
        what: 'one task on an idle service, POST to callback received, minus the bare sharp time',
        value: median(overheads),
        goal: 40,
        unit: ' ms',
      },
    ]),
  )
} finally {
  await service.stop()
  receiver.stop()
  await rm(data, { recursive: true, force: true })
}
