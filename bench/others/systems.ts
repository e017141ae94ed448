// What is compared: Keepsake and the services around a queue, each started, used, killed and stopped in the same way.
import { mkdirSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Agent } from 'node:http'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../test/support/free-port.ts'
import { frame, photo } from '../support/photos.ts'
import { ask, multipart } from '../support/service.ts'
import type { Options } from './job.ts'
import { type Kept, keep } from './kept.ts'
import { type Persistence, type Server, startPostgres, startRedis } from './servers.ts'

/** `small`: turned too, but of a photo that is quickly sent and made. */
export type Kind = 'flip' | 'chain' | 'small'
export type Tenant = 'first' | 'second'

export interface Running {
  /** Whose processor time counts, with all that they have started. */
  roots(): number[]
  /** Resolves with the id of the task once it is accepted. */
  send(kind: Kind, tenant?: Tenant, key?: string): Promise<string>
  /** `kill -9`, and started again. */
  killWorker(): Promise<void>
  killServer(): Promise<void>
  stop(): Promise<void>
}

/** Accepts tasks while nobody works, until its worker is started. */
export interface Filling extends Running {
  startWorker(): Promise<void>
}

export interface System {
  name: string
  start(): Promise<Running>
  startEmpty(): Promise<Filling>
}

export const SIZE = [1280, 960] as const

export interface Pictures {
  frame: Buffer
  photos: Record<Kind, Buffer>
}

export async function pictures(): Promise<Pictures> {
  // Its edges lie between two blocks of the JPEG, so it has to be decoded by everybody.
  const large = await photo(1632, 1224).jpeg({ quality: 90 }).toBuffer()
  const small = await photo(328, 248).jpeg({ quality: 80 }).toBuffer()
  return { frame: await frame(...SIZE), photos: { flip: large, chain: large, small } }
}

/** 2xx, or it is not accepted. */
export function accepted({ status, text }: { status: number; text: string }): string {
  if (status !== 202) throw new Error(`${status} ${text.slice(0, 500)}`)
  return (JSON.parse(text) as { task_id: string }).task_id
}

/** Each is made once: what a client does to make it is not the service's. */
export function bodies(
  { photos }: Pictures,
  fields: (kind: Kind, tenant: Tenant) => Record<string, string>,
): (kind: Kind, tenant: Tenant) => Buffer {
  const made = new Map<string, Buffer>()
  return (kind, tenant) => {
    const name = `${kind} ${tenant}`
    const body = made.get(name) ?? multipart(fields(kind, tenant), photos[kind])
    made.set(name, body)
    return body
  }
}

const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** Where one service around a queue lives; nothing of it is kept from one turn to the next. */
async function newService(
  folder: string,
  queue: Options['queue'],
  server: Server,
  { webhookUrl, pictures, photosAtOnce }: Surroundings,
): Promise<Filling> {
  const frame = join(folder, 'frame.png')
  writeFileSync(frame, pictures.frame)
  const options: Options = { queue, url: server.url, folder, port: await freePort(), webhookUrl, frame, photosAtOnce }
  const run = (name: string): Promise<Kept> =>
    keep({
      program: process.execPath,
      args: [script(`${name}.ts`), JSON.stringify(options)],
      log: join(folder, `${name}.log`),
      // graphile-worker logs every job unless it is told not to, as its page on performance says.
      env: { UV_THREADPOOL_SIZE: String(Math.max(4, availableParallelism() * 2)), NO_LOG_SUCCESS: '1' },
      isReady: said => /^ready$/m.test(said),
    })
  const bodyOf = bodies(pictures, (kind, tenant) => ({ tenant, steps: kind === 'chain' ? 'chain' : 'flip' }))
  const agent = new Agent({ keepAlive: true })
  const api = await run('api')
  let worker: Kept | null = null
  return {
    roots: () => [api, worker, server].flatMap(part => (part ? [part.pid()] : [])),
    async send(kind, tenant = 'first', key) {
      const headers = key ? { 'idempotency-key': key } : {}
      return accepted(await ask(agent, `http://127.0.0.1:${options.port}/task`, bodyOf(kind, tenant), headers))
    },
    async startWorker() {
      worker = await run('worker')
    },
    killWorker: async () => worker?.kill(),
    killServer: () => server.kill(),
    async stop() {
      agent.destroy()
      await Promise.all([worker?.stop(), api.stop()])
      await server.stop()
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

export interface Surroundings {
  /** For everything that is written. */
  folder: string
  webhookUrl: string
  pictures: Pictures
  /** Of a worker around a queue; Keepsake decides for itself. */
  photosAtOnce: number
}

function aroundQueue(name: string, startEmpty: () => Promise<Filling>): System {
  return {
    name,
    startEmpty,
    async start() {
      const service = await startEmpty()
      try {
        await service.startWorker()
      } catch (error) {
        await service.stop()
        throw error
      }
      return service
    },
  }
}

/** Stops the server when what is to live on it does not start. */
async function on(server: Server, start: (server: Server) => Promise<Filling>): Promise<Filling> {
  try {
    return await start(server)
  } catch (error) {
    await server.stop()
    throw error
  }
}

export const bullmqOn = (persistence: Persistence, around: Surroundings): System =>
  aroundQueue(`BullMQ, ${persistence}`, async () => {
    const folder = join(around.folder, 'bullmq')
    const server = await startRedis(join(folder, 'redis'), persistence)
    return on(server, () => newService(folder, 'bullmq', server, around))
  })

/** `dataFolder`: of the Keepsake whose cluster it uses while that does not run. */
export const graphileOn = (dataFolder: string, around: Surroundings): System =>
  aroundQueue('graphile-worker', async () => {
    const folder = join(around.folder, 'graphile')
    mkdirSync(folder, { recursive: true })
    const server = await startPostgres(dataFolder, 'others')
    return on(server, () => newService(folder, 'graphile', server, around))
  })
