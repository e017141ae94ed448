// Creates, starts, adopts and stops the embedded PostgreSQL, which lies in the data folder.
import { spawn } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import {
  chownSync,
  closeSync,
  existsSync,
  fchownSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { CannotStart } from '#kit/cannot-start.ts'
import type { Log } from '#kit/log.ts'
import { lives } from '#kit/process/process-stat.ts'
import { isRoot, ordinaryUser, postgresHome, type RunAs } from './postgres-binaries.ts'
import { processesIn, readPidFile, signal, until } from './postmaster.ts'

export interface Embedded {
  url: string
  port: number
  /** True when the server had outlived the process that started it and was taken over. */
  adopted: boolean
  /** Settles when the server ends, asked to or not. */
  ended: Promise<void>
  stop(): Promise<void>
}

interface Options {
  /** Stays the same over a restart, so that open pools find the server again. */
  port?: number
  /** For tests: no fsync, and the server ends with the process that started it. */
  throwaway?: boolean
}

interface Cluster {
  folder: string
  home: string
  user: RunAs
  logFile: string
  throwaway: boolean
}

const USER = 'keepsake'
const START_MS = 10 * 60_000 // Recovery after a crash may have much to replay.
const LOG_BYTES = 5 * 1024 ** 2
const LONGEST_SOCKET = 100

const clusterFolder = (dataFolder: string): string => join(dataFolder, 'postgres')
const passwordFile = (dataFolder: string): string => join(dataFolder, 'postgres-password')

/** The URL of the running database of a data folder. It is read from the folder, so no secret travels in an environment. */
export function embeddedUrl(dataFolder: string): string {
  const running = readPidFile(clusterFolder(dataFolder))
  if (!running) throw new CannotStart('The embedded database of this data folder is not running')
  const password = readFileSync(passwordFile(dataFolder), 'utf8').trim()
  const folder = resolve(clusterFolder(dataFolder))
  const socket = join(folder, `.s.PGSQL.${running.port}`)
  // A socket file avoids TCP, but its path has to be short.
  const byFile = existsSync(socket) && Buffer.byteLength(socket) <= LONGEST_SOCKET
  const query = byFile ? `?host=${encodeURIComponent(folder)}` : ''
  return `postgres://${USER}:${password}@127.0.0.1:${running.port}/postgres${query}`
}

export async function startEmbedded(dataFolder: string, log: Log, options: Options = {}): Promise<Embedded> {
  const cluster = await prepare(dataFolder, log, options.throwaway ?? false)
  const adopted = await adopt(cluster, log)
  const { pid, port, ended } = adopted ?? (await launch(cluster, options.port))
  return {
    url: embeddedUrl(dataFolder),
    port,
    adopted: adopted !== null,
    ended,
    async stop() {
      for (const [name, waitMs] of [
        ['SIGINT', 20_000],
        ['SIGQUIT', 5_000],
        ['SIGKILL', 5_000],
      ] as const) {
        signal(pid, name)
        if (await until(() => !lives(pid), waitMs)) return
      }
    },
  }
}

async function prepare(dataFolder: string, log: Log, throwaway: boolean): Promise<Cluster> {
  const folder = clusterFolder(dataFolder)
  const owner = existsSync(folder) ? statSync(folder) : null
  // The owner of an existing folder runs the server: user ids differ between machines and images.
  const user = isRoot() && owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : ordinaryUser()
  const logFile = join(dataFolder, 'postgres.log')
  const cluster = { folder, home: postgresHome(user), user, logFile, throwaway }
  if (!owner) {
    log.info('making the embedded database')
    await makeCluster(cluster, dataFolder)
  } else if (isRoot() && owner.uid === 0) {
    await takeOver(cluster)
  }
  if (!existsSync(passwordFile(dataFolder))) {
    throw new CannotStart(
      'The data folder has a database but no postgres-password: bring that file back from the copy it was made with',
    )
  }
  return cluster
}

/** Creates the cluster aside and renames it, so that an interrupted start leaves nothing that looks like a database. */
async function makeCluster(cluster: Cluster, dataFolder: string): Promise<void> {
  const { uid, gid } = cluster.user
  const fresh = `${cluster.folder}.new`
  rmSync(fresh, { recursive: true, force: true })
  mkdirSync(fresh, { mode: 0o700 })
  const password = openSync(passwordFile(dataFolder), 'w+', 0o600)
  try {
    writeFileSync(password, randomBytes(24).toString('base64url'))
    if (uid !== undefined && gid !== undefined) {
      chownSync(fresh, uid, gid)
      fchownSync(password, uid, gid)
    }
    const pwfile = isRoot() ? '/proc/self/fd/3' : passwordFile(dataFolder)
    const args = [
      '-U',
      USER,
      `--pwfile=${pwfile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--data-checksums',
      '--no-instructions',
    ]
    if (cluster.throwaway) args.push('--no-sync')
    await finished(run({ ...cluster, folder: fresh }, 'initdb', args, password), 'initdb', cluster.logFile)
  } finally {
    closeSync(password)
  }
  renameSync(fresh, cluster.folder)
}

/** A folder copied by root belongs to root, but the server accepts only a folder of its own user. */
async function takeOver(cluster: Cluster): Promise<void> {
  const { uid, gid } = cluster.user
  const child = spawn('chown', ['-R', `${uid}:${gid}`, cluster.folder], { stdio: 'ignore', env: {} })
  await finished(child, 'chown', cluster.logFile)
}

interface Running {
  pid: number
  port: number
  ended: Promise<void>
}

/** After kill -9 of a Keepsake its postmaster lives on, and we go on using it. Anything less than healthy is cleared away. */
async function adopt(cluster: Cluster, log: Log): Promise<Running | null> {
  const found = readPidFile(cluster.folder)
  if (found && processesIn(cluster.folder).includes(found.pid)) {
    const settled = (): boolean => !lives(found.pid) || readPidFile(cluster.folder)?.status === 'ready'
    await until(settled, found.status === 'stopping' ? 20_000 : START_MS)
    if (lives(found.pid) && readPidFile(cluster.folder)?.status === 'ready') {
      log.info({ pid: found.pid }, 'using the database that an earlier Keepsake left running')
      return {
        pid: found.pid,
        port: found.port,
        ended: until(() => !lives(found.pid), Number.MAX_SAFE_INTEGER, 500).then(() => {}),
      }
    }
  }
  for (const name of ['SIGQUIT', 'SIGKILL'] as const) {
    for (const pid of processesIn(cluster.folder)) signal(pid, name)
    if (await until(() => processesIn(cluster.folder).length === 0, 5_000)) break
  }
  // Now no process works here, whatever the file says: its pid may belong to a zombie or to another program.
  for (const name of readdirSync(cluster.folder))
    if (name === 'postmaster.pid' || name.startsWith('.s.PGSQL.')) rmSync(join(cluster.folder, name), { force: true })
  return null
}

async function launch(cluster: Cluster, wantedPort: number | undefined): Promise<Running> {
  if (existsSync(cluster.logFile) && statSync(cluster.logFile).size > LOG_BYTES)
    renameSync(cluster.logFile, `${cluster.logFile}.1`)
  for (let attempt = 1; ; attempt++) {
    const port = attempt < 3 && wantedPort ? wantedPort : await freePort()
    const before = existsSync(cluster.logFile) ? statSync(cluster.logFile).size : 0
    const child = run(cluster, 'postgres', serverArgs(port, cluster.throwaway))
    const ended = new Promise<void>(resolve => child.once('exit', () => resolve()).once('error', () => resolve()))
    if (cluster.throwaway) child.unref()
    const { pid } = child
    const over = (): boolean => pid === undefined || child.exitCode !== null || child.signalCode !== null
    const ready = (): boolean => {
      const now = readPidFile(cluster.folder)
      return now?.pid === pid && now?.status === 'ready'
    }
    await until(() => over() || ready(), START_MS)
    if (pid !== undefined && !over() && ready()) return { pid, port, ended }
    if (pid !== undefined && !over()) signal(pid, 'SIGQUIT')
    const said = tail(cluster.logFile, before)
    if (attempt < 5 && /Address already in use|could not bind/.test(said)) continue
    throw new CannotStart(
      `The embedded database does not start; the end of postgres.log in the data folder says: ${said || 'nothing'}`,
    )
  }
}

const serverArgs = (port: number, throwaway: boolean): string[] =>
  Object.entries({
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '.', // In the cluster's folder, which is closed to others.
    max_connections: throwaway ? 400 : 100, // Many services of a test run share one.
    shared_buffers: '64MB',
    max_wal_size: '512MB',
    io_method: 'sync', // No idle I/O workers.
    max_parallel_workers_per_gather: 0,
    max_logical_replication_workers: 0,
    max_wal_senders: 0,
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Only the server's own messages: errors of statements may hold personal data.
    log_min_messages: 'log',
    log_error_verbosity: 'terse',
    log_checkpoints: 'off',
    ...(throwaway ? { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' } : {}),
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`])

/** Starts an own session, so that Ctrl+C in a terminal does not stop the database before the work is drained. */
function run(cluster: Cluster, program: 'initdb' | 'postgres', args: string[], passwordFd?: number) {
  // Root's folders may be closed to the user that runs the server. The process enters the folder before it becomes that user, and
  // reaches the folder from there by this link, without passing through the folders above.
  const folder = isRoot() ? '/proc/self/cwd' : cluster.folder
  const log = openSync(cluster.logFile, 'a', 0o600)
  const command = [join(cluster.home, 'bin', program), '-D', folder, ...args]
  const dying =
    cluster.throwaway && existsSync('/usr/bin/setpriv') ? ['/usr/bin/setpriv', '--pdeathsig', 'INT', '--'] : []
  const [file = '', ...rest] = [...dying, ...command]
  try {
    return spawn(file, rest, {
      ...cluster.user,
      cwd: cluster.folder,
      detached: true,
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' },
      stdio: ['ignore', log, log, ...(passwordFd === undefined ? [] : [passwordFd])],
    })
  } finally {
    closeSync(log)
  }
}

async function finished(child: ReturnType<typeof spawn>, program: string, logFile: string): Promise<void> {
  const code = await new Promise<number | null>(resolve =>
    child.once('exit', resolve).once('error', () => resolve(null)),
  )
  if (code !== 0)
    throw new CannotStart(`${program} failed; the end of postgres.log in the data folder says: ${tail(logFile, 0)}`)
}

function tail(file: string, from: number): string {
  if (!existsSync(file)) return ''
  return readFileSync(file).subarray(from).toString().trim().split('\n').slice(-3).join(' | ')
}

/** Picks a port below the range that the system hands out by itself, so that nobody takes it while the server restarts. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_240, 32_000)
    const server = createServer()
    const free = await new Promise<boolean>(resolve => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
    })
    if (free) return port
  }
}
