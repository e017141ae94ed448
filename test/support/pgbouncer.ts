// A real PgBouncer in front of a database, in transaction mode, where the machine has one.
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { ordinaryUser } from '#postgres/postgres-binaries.ts'
import { killAnyway } from './clean-up.ts'
import { freePort } from './free-port.ts'
import { event, until } from './until.ts'

export const pgbouncer = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer'].find(existsSync)

export interface Pooler {
  url: string
  pid: number
  stop(): Promise<void>
}

/** `servers`: connections that it has to the database, however many come to it. */
export async function startPgbouncer(databaseUrl: string, servers: number): Promise<Pooler> {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl)
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-pooler-'))
  chmodSync(folder, 0o755)
  const own = await freePort()
  const name = pathname.slice(1)
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]
${name} = host=${hostname} port=${port} dbname=${name} user=${username} password=${decodeURIComponent(password)} connect_query='set statement_timeout = 18000'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${servers}
max_client_conn = 500
`,
  )
  const child = spawn(pgbouncer ?? 'pgbouncer', [file], {
    ...ordinaryUser(),
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const pipe of [child.stdout, child.stderr]) pipe.setEncoding('utf8').on('data', text => (said += text))
  const url = `postgres://${username}@127.0.0.1:${own}/${name}`
  const stop = async (): Promise<void> => {
    const ended = event('the pooler has ended', child, 'exit')
    killAnyway(child.pid, 'SIGKILL')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await until('the pooler answers', () => answersAt(url))
  } catch (error) {
    await stop()
    throw new Error(`${said}\n${readFileSync(file, 'utf8').replace(/password=\S+/, '')}`, { cause: error })
  }
  return { url, pid: child.pid ?? 0, stop }
}

async function answersAt(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000, query_timeout: 2_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}
