// The servers that the queues live on: a Redis of Debian, and the PostgreSQL cluster that Keepsake itself uses.
import { existsSync, mkdirSync } from 'node:fs'
import { connect } from 'node:net'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { newLog } from '#kit/log.ts'
import { startEmbedded } from '#postgres/embedded.ts'
import { readPidFile } from '#postgres/postmaster.ts'
import { freePort } from '../../test/support/free-port.ts'
import { endWithUs, keep, signal } from './kept.ts'

export interface Server {
  url: string
  pid(): number
  /** `kill -9`; resolves when it has been started again. */
  kill(): Promise<void>
  stop(): Promise<void>
}

export type Persistence = 'no AOF' | 'everysec' | 'always'

const DOWN_MS = 1_000

export function requireRedis(): void {
  const folders = (process.env.PATH ?? '').split(delimiter)
  if (folders.some(folder => existsSync(join(folder, 'redis-server')))) return
  console.error('There is no redis-server on the PATH; on Debian: apt-get install redis-server')
  process.exit(1)
}

/** As Debian sets it up, snapshots included, but for the append-only file and what BullMQ asks for. */
export async function startRedis(folder: string, persistence: Persistence): Promise<Server> {
  mkdirSync(folder, { recursive: true })
  const port = await freePort()
  const settings = {
    port,
    bind: '127.0.0.1',
    dir: folder,
    'maxmemory-policy': 'noeviction',
    appendonly: persistence === 'no AOF' ? 'no' : 'yes',
    ...(persistence === 'no AOF' ? {} : { appendfsync: persistence }),
  }
  const redis = await keep({
    program: 'redis-server',
    args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
    log: join(folder, 'redis.log'),
    isReady: () => answers(port),
  })
  return { url: `redis://127.0.0.1:${port}`, ...redis }
}

/** False also while it still reads what it has on disk. */
function answers(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'))
  socket.setTimeout(1_000, () => socket.destroy())
  socket.on('data', said => resolve(said.toString().startsWith('+PONG'))).on('error', () => resolve(false))
  socket.on('close', () => resolve(false))
  return promise.finally(() => socket.destroy())
}

/** The cluster of a data folder of Keepsake, with the settings it has there, and a new database in it. */
export async function startPostgres(dataFolder: string, database: string): Promise<Server> {
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 })
  const log = newLog('warn', 'bench')
  const cluster = join(dataFolder, 'postgres')
  let postgres = await startEmbedded(dataFolder, log)
  const pid = (): number => readPidFile(cluster)?.pid ?? 0
  let known = endWithUs(pid(), 'SIGINT')
  const url = new URL(postgres.url)
  await withDatabase(url.href, async client => {
    await client.query(`drop database if exists ${database} with (force)`)
    await client.query(`create database ${database}`)
  })
  url.pathname = `/${database}`
  return {
    url: url.href,
    pid,
    async kill() {
      signal(pid(), 'SIGKILL')
      await postgres.ended
      known.stopped()
      await sleep(DOWN_MS)
      postgres = await startEmbedded(dataFolder, log, { port: postgres.port })
      known = endWithUs(pid(), 'SIGINT')
    },
    async stop() {
      await postgres.stop()
      known.stopped()
    },
  }
}

async function withDatabase(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
