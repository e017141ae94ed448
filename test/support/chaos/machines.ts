// A deployment: one PostgreSQL, and machines that run an API and a worker each, under a supervisor, on the same files.
// Whatever dies is started again, as an operator's system would.
import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs'
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
import { commandOf, descendants } from '../processes.ts'
import { soon, until } from '../until.ts'
import { newSpace, type Space } from './space.ts'

export interface Machine {
  name: string
  url: string
  data: string
  /** Between its processes and PostgreSQL. */
  proxy: FlakyProxy
  supervisor(): number
  part(name: 'api' | 'worker'): number | undefined
  /** The processes that work on media, if there are any now. */
  children(): number[]
  /** All its processes, the supervisor first. */
  all(): number[]
  /** Asks it to stop; answers its exit code. */
  stop(): Promise<number | NodeJS.Signals>
}

export interface Deployment {
  machines: Machine[]
  space: Space
  token: string
  env: Record<string, string>
  databaseUrl: string
  /** Past the proxies. */
  query<Row extends object>(sql: string, values?: unknown[]): Promise<Row[]>
  postgres: {
    postmaster(): number | undefined
    /** The postmaster and all it has started. */
    all(): number[]
  }
  stop(): Promise<void>
}

export interface DeploymentOptions {
  folder: string
  /** Room for files, in bytes. */
  room: number
  env: Record<string, string>
}

const NAMES = ['a', 'b']
const RESTART_MS = 300

export async function startDeployment({ folder, room, env }: DeploymentOptions): Promise<Deployment> {
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
      // Pictures need neither, and a start without looking for them is quicker.
      FFMPEG_PATH: 'none',
      FFPROBE_PATH: 'none',
      ...env,
    }
    const machines: Machine[] = []
    for (const name of NAMES) {
      const proxy = await startProxy({ port: Number(address.port) })
      later(proxy.stop)
      const behind = new URL(address)
      behind.port = String(proxy.port)
      const machine = await keepMachine(folder, space.folder, name, proxy, { ...common, DATABASE_URL: behind.href })
      later(() => killAll(machine.all()))
      machines.push(machine)
    }
    return {
      machines,
      space,
      token,
      env: common,
      databaseUrl: address.href,
      query: (sql, values = []) => query(address.href, sql, values),
      postgres: {
        postmaster: () => readPidFile(cluster)?.pid,
        all: () => processesIn(cluster),
      },
      stop: () =>
        cleanUp(
          () => Promise.all(machines.map(machine => machine.stop())),
          ...machines.map(machine => () => killAll(machine.all())),
          ...machines.map(({ proxy }) => proxy.stop),
          endDatabase,
          space.stop,
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

async function keepMachine(
  folder: string,
  space: string,
  name: string,
  proxy: FlakyProxy,
  given: Record<string, string>,
): Promise<Machine> {
  const data = join(space, name)
  const home = join(folder, `home-${name}`)
  mkdirSync(data, { mode: 0o711 })
  mkdirSync(home)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const log = createWriteStream(join(folder, `${name}.log`))
  const env = { ...given, KEEPSAKE_DATA: data, PORT: String(port) }
  let child: ChildProcess
  let stopping = false
  const ended = Promise.withResolvers<number | NodeJS.Signals>()

  function launch(): void {
    child = spawn(process.execPath, [join(root, 'src/main.ts')], {
      cwd: home,
      env: { PATH: process.env.PATH, HOME: home, NODE_COMPILE_CACHE: join(root, '.cache/compile'), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [child.stdout, child.stderr]) stream?.pipe(log, { end: false })
    child.once('exit', async (code, signal) => {
      if (stopping) return ended.resolve((code ?? signal) as number | NodeJS.Signals)
      await sleep(RESTART_MS)
      if (!stopping) launch()
      else ended.resolve(0)
    })
  }
  launch()
  const supervisor = (): number => child.pid ?? 0
  const all = (): number[] => [supervisor(), ...descendants(supervisor())]
  const machine: Machine = {
    name,
    url,
    data,
    proxy,
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
