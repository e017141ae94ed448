// A deployment: one PostgreSQL, and machines that run an API and a worker each, under a supervisor, on the same files.
// Whatever dies is started again, as an operator's system would.
import { type ChildProcess, spawn } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  createWriteStream,
  globSync,
  mkdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { newLog } from '#kit/log.ts'
import { newToken } from '#kit/secret/secrets.ts'
import { processesIn, readPidFile } from '#postgres/postmaster.ts'
import { keepDatabase } from '#supervisor/kept-database.ts'
import { answers, part, root } from '../../start/keepsake.ts'
import { cleanUp, killAnyway, startOrCleanUp } from '../clean-up.ts'
import { type FlakyProxy, startProxy } from '../flaky-proxy.ts'
import { freePort } from '../free-port.ts'
import { type Pooler, startPgbouncer } from '../pgbouncer.ts'
import { commandOf, descendants } from '../processes.ts'
import { soon, until } from '../until.ts'
import type { Disturbance } from './disturb.ts'
import { newSpace, type Space } from './space.ts'

export interface Machine {
  name: string
  url: string
  data: string
  /** Of its data folder alone. */
  disk: Space
  /** Whether its statements go through PgBouncer. */
  isPooled: boolean
  /** Between its processes and PostgreSQL. */
  proxy: FlakyProxy
  supervisor(): number
  part(name: 'api' | 'worker'): number | undefined
  /** The processes that work on media, if there are any now. */
  children(): number[]
  /** All its processes, the supervisor first. */
  all(): number[]
  /** It starts anew without ffmpeg, or with it again. */
  lame(isLame: boolean): void
  /** Sets its clock ahead of all others. */
  clock(seconds: number): void
  /** Asks it to stop; answers its exit code. */
  stop(): Promise<number | NodeJS.Signals>
}

export interface Deployment {
  machines: Machine[]
  space: Space
  token: string
  env: Record<string, string>
  databaseUrl: string
  /** As a package that is installed does it, in the place that is /etc for its machines. */
  replaceLibraryCache(): void
  /** Past the proxies. */
  query<Row extends object>(sql: string, values?: unknown[]): Promise<Row[]>
  postgres: {
    postmaster(): number | undefined
    /** The postmaster and all it has started. */
    all(): number[]
  }
  /** Ends everything at once, without waiting. */
  end(): void
  stop(): Promise<void>
}

export interface DeploymentOptions {
  folder: string
  /** Room for files, in bytes. */
  room: number
  env: Record<string, string>
  /** All that will be done to it: some of it must be made possible from the beginning. */
  wanted: readonly Disturbance[]
}

const lacking = { FFMPEG_PATH: 'none', FFPROBE_PATH: 'none' }
const NAMES = ['a', 'b']
const RESTART_MS = 300
const WORK_BYTES = 256 * 1024 ** 2
/** Connections of PgBouncer to PostgreSQL. */
const SERVERS = 20
/** Makes a folder the /etc of a program and of no other. */
const UNSHARED = ['unshare', '--mount', 'sh', '-c', 'mount --bind "$0" /etc && exec "$@"']
export const libfaketime = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')[0]

export async function startDeployment({ folder, room, env, wanted }: DeploymentOptions): Promise<Deployment> {
  const log = newLog('silent', 'chaos')
  const token = newToken()
  return startOrCleanUp(async later => {
    const space = newSpace(join(folder, 'space'), room)
    later(space.stop)
    const server = join(folder, 'database')
    mkdirSync(server)
    const cluster = join(server, 'postgres')
    const database = await keepDatabase(server, log, () => {})
    // Frozen or not, in whatever state it is.
    const endDatabase = async () => {
      for (const pid of processesIn(cluster)) killAnyway(pid, 'SIGCONT')
      await database.stop()
    }
    later(endDatabase)
    const address = new URL(database.url)
    address.search = ''
    // What does not wait for the disk is now forgotten by every crash, not by an unlucky one alone.
    await query(database.url, `alter system set wal_writer_delay = '10s'`, [])
    await query(database.url, 'select pg_reload_conf()', [])
    const common = {
      KEEPSAKE_ADMIN_TOKEN: token,
      KEEPSAKE_SECRET_KEY: Buffer.alloc(32, 5).toString('base64'),
      KEEPSAKE_BLOBS: `file:${space.blobs}`,
      KEEPSAKE_ALLOW_HOSTS: '127.0.0.1',
      KEEPSAKE_LOG_LEVEL: 'info',
      ...env,
    }
    const etc = wanted.includes('library_cache') ? join(folder, 'etc') : null
    if (etc) cpSync('/etc', etc, { recursive: true, verbatimSymlinks: true })
    const machines: Machine[] = []
    const poolers: Pooler[] = []
    for (const name of NAMES) {
      const proxy = await startProxy({ port: Number(address.port) })
      later(proxy.stop)
      const behind = new URL(address)
      behind.port = String(proxy.port)
      const own: Record<string, string> = { ...common, DATABASE_URL: behind.href }
      const isPooled = wanted.includes('pooler') && name === NAMES.at(-1)
      if (isPooled) {
        const pooler = await startPgbouncer(behind.href, SERVERS)
        later(pooler.stop)
        poolers.push(pooler)
        Object.assign(own, { DATABASE_URL: pooler.url, DATABASE_SESSION_URL: behind.href })
      }
      const disk = newSpace(join(space.folder, name), WORK_BYTES)
      later(disk.stop)
      const time = wanted.includes('clock') ? join(folder, `clock-${name}`) : null
      const machine = await keepMachine({ folder, name, proxy, disk, isPooled, etc, time, given: own })
      later(() => killAll(machine.all()))
      machines.push(machine)
    }
    const end = () => {
      killAll([...machines.flatMap(({ all }) => all()), ...processesIn(cluster), ...poolers.map(({ pid }) => pid)])
      for (const { disk } of machines) disk.stop()
      space.stop()
    }
    return {
      machines,
      space,
      replaceLibraryCache() {
        const cache = join(etc ?? folder, 'ld.so.cache')
        copyFileSync(cache, `${cache}~`)
        renameSync(`${cache}~`, cache)
      },
      token,
      env: common,
      databaseUrl: address.href,
      query: (sql, values = []) => query(address.href, sql, values),
      postgres: {
        postmaster: () => readPidFile(cluster)?.pid,
        all: () => processesIn(cluster),
      },
      end,
      stop: () =>
        cleanUp(
          () => Promise.all(machines.map(machine => machine.stop())),
          ...machines.map(({ proxy }) => proxy.stop),
          ...poolers.map(pooler => pooler.stop),
          endDatabase,
          end,
        ),
    }
  })
}

export function killAll(pids: readonly number[]): void {
  for (const pid of pids) killAnyway(pid)
}

async function query<Row extends object>(connectionString: string, text: string, values: unknown[]): Promise<Row[]> {
  // A connection each time: the server may have been killed since.
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 10_000, query_timeout: 60_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query(text, values)).rows as Row[]
  } finally {
    await client.end().catch(() => {})
  }
}

interface Making extends Pick<Machine, 'name' | 'proxy' | 'disk' | 'isPooled'> {
  folder: string
  /** A folder that is its /etc; null: that of everybody. */
  etc: string | null
  /** The file that says how far ahead its clock is; null: it has that of everybody. */
  time: string | null
  given: Record<string, string>
}

/** Only the time of day is another one: what runs off is measured as before. */
const clockIn = (file: string) => ({
  LD_PRELOAD: libfaketime ?? '',
  FAKETIME_TIMESTAMP_FILE: file,
  FAKETIME_CACHE_DURATION: '1',
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
})

async function keepMachine({ folder, name, proxy, disk, isPooled, etc, time, given }: Making): Promise<Machine> {
  const data = disk.folder
  const home = join(folder, `home-${name}`)
  mkdirSync(home)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const log = createWriteStream(join(folder, `${name}.log`))
  const env = { ...given, ...(time && clockIn(time)), KEEPSAKE_DATA: data, PORT: String(port) }
  const line = [...(etc ? [...UNSHARED, etc] : []), process.execPath, join(root, 'src/main.ts')]
  let isLame = false
  let child: ChildProcess
  let stopping = false
  const ended = Promise.withResolvers<number | NodeJS.Signals>()

  function launch(): void {
    child = spawn(line[0] as string, line.slice(1), {
      cwd: home,
      env: {
        PATH: process.env.PATH,
        HOME: home,
        NODE_COMPILE_CACHE: join(root, '.cache/compile'),
        ...env,
        ...(isLame && lacking),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [child.stdout, child.stderr]) stream?.pipe(log, { end: false })
    const { pid } = child
    child.once('exit', async (code, signal) => {
      // A program that is killed leaves what the library shares with those that it starts.
      for (const name of ['faketime_shm', 'sem.faketime_sem']) rmSync(`/dev/shm/${name}_${pid}`, { force: true })
      if (stopping) return ended.resolve((code ?? signal) as number | NodeJS.Signals)
      await sleep(RESTART_MS)
      if (!stopping) launch()
      else ended.resolve(0)
    })
  }
  const clock = (seconds: number): void => {
    if (!time) return
    writeFileSync(`${time}~`, `+${seconds}`)
    renameSync(`${time}~`, time)
  }
  clock(0)
  launch()
  const supervisor = (): number => child.pid ?? 0
  const all = (): number[] => [supervisor(), ...descendants(supervisor())]
  const machine: Machine = {
    name,
    url,
    data,
    disk,
    isPooled,
    proxy,
    clock,
    lame(wanted) {
      isLame = wanted
      killAll(all())
    },
    supervisor,
    all,
    part: which => part(supervisor(), which),
    children: () => descendants(machine.part('worker') ?? -1).filter(pid => /child\.ts/.test(commandOf(pid))),
    async stop() {
      stopping = true
      for (const pid of all()) killAnyway(pid, 'SIGCONT')
      child.kill('SIGTERM')
      const code = await soon(`machine ${name} has stopped`, ended.promise, 90_000)
      log.end()
      await finished(log).catch(() => {})
      return code
    },
  }
  await until(`machine ${name} is ready`, async () => (await answers(url, '/readyz')) === 200).catch(error => {
    stopping = true
    killAll(all())
    throw new Error(`${error.message}; see ${name}.log`)
  })
  return machine
}

/** For processes that are to trust it. */
export function certificateFile(folder: string, certificate: string): string {
  const path = join(folder, 'authority.pem')
  writeFileSync(path, certificate)
  return path
}
