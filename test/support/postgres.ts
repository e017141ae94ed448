// A real PostgreSQL for tests: one server for a whole run, one freshly cloned database for each caller.
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { openDatabase } from '#db/database.ts'
import { migrate } from '#db/migrate.ts'
import { newLog } from '#kit/log.ts'
import { startEmbedded } from '#postgres/embedded.ts'
import { processesIn } from '#postgres/postmaster.ts'
import { startQueue } from '#queue/queue.ts'
import { until } from './until.ts'

export interface TestDatabase {
  url: string
  drop(): Promise<void>
}

/** Set by whoever started a server for this run: `test/support/global.ts`, or a person with an own PostgreSQL. */
const SERVER = 'KEEPSAKE_TEST_DATABASE_URL'
const FOLDER = 'keepsake-test-postgres-'
const LOCK = 0x74657374 // 'test'

type Owner = { after(done: () => Promise<void>): void }

/** An own database with all migrations applied and the tables of the queue; dropped after the given test, else at the end of the file. */
export async function testDatabase(t?: Owner): Promise<TestDatabase> {
  const server = await serverUrl()
  return create(server, `template ${await ensureTemplate(server)}`, t)
}

/** An own database without any table. */
export const emptyDatabase = async (t?: Owner): Promise<TestDatabase> => create(await serverUrl(), '', t)

async function create(server: string, from: string, t: Owner | undefined): Promise<TestDatabase> {
  const name = `keepsake_test_${randomBytes(6).toString('hex')}`
  const ask = (sql: string) =>
    until(`this is done: ${sql}`, () => withServer(server, client => client.query(sql)).catch(unlessInUse))
  await ask(`create database ${name} ${from}`)
  const drop = async () => void (await ask(`drop database if exists ${name} with (force)`))
  if (t) t.after(drop)
  else if (!own) atTheEnd(drop)
  return { url: at(server, name), drop }
}

/** PostgreSQL waits five seconds for others to leave a database; those that it ended may need more on a busy machine. */
function unlessInUse(error: { code?: string }): null {
  if (error.code !== '55006') throw error
  return null
}

/** Not in an `after` hook: those run in the order they were added, and this must come after everybody's own. */
const atTheEnd = (work: () => Promise<void>) => process.once('beforeExit', () => void work().catch(() => {}))

let own: Promise<string> | undefined

/** The server of this run; a test file that is run alone starts one for itself, which ends with the process. */
function serverUrl(): Promise<string> {
  const given = process.env[SERVER]
  if (given) return Promise.resolve(given)
  own ??= startServer().then(server => {
    atTheEnd(server.stop)
    return server.url
  })
  return own
}

/** A throw-away server: quick instead of durable, and gone when this process is gone. */
export async function startServer(): Promise<{ url: string; stop(): Promise<void> }> {
  clearLeftOvers()
  const folder = mkdtempSync(join(tmpdir(), FOLDER))
  const server = await startEmbedded(folder, newLog('warn', 'test'), { throwaway: true })
  return {
    url: server.url,
    async stop() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export async function startForRun(): Promise<() => Promise<void>> {
  if (process.env[SERVER]) return async () => {}
  const server = await startServer()
  await ensureTemplate(server.url)
  process.env[SERVER] = server.url
  return server.stop
}

/** Folders of runs that were killed. */
function clearLeftOvers(): void {
  for (const name of readdirSync(tmpdir()).filter(entry => entry.startsWith(FOLDER))) {
    const folder = join(tmpdir(), name)
    try {
      const old = Date.now() - statSync(folder).mtimeMs > 10 * 60_000
      if (old && processesIn(join(folder, 'postgres')).length === 0) rmSync(folder, { recursive: true, force: true })
    } catch {
      // Being made or removed by another run.
    }
  }
}

/** The database that tests are cloned from, made once per state of the migrations and of the queue. */
async function ensureTemplate(server: string): Promise<string> {
  const folder = new URL('../../migrations/', import.meta.url)
  const hash = createHash('sha256')
  for (const file of readdirSync(folder).sort()) hash.update(file).update(readFileSync(new URL(file, folder)))
  for (const file of ['src/queue/queue.ts', 'src/queue/lanes.ts', 'node_modules/pg-boss/package.json'])
    hash.update(readFileSync(new URL(`../../${file}`, import.meta.url)))
  const name = `keepsake_template_${hash.digest('hex').slice(0, 12)}`
  return withServer(server, async client => {
    await client.query('select pg_advisory_lock($1)', [LOCK])
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name])
    if (rowCount) return name
    // Renamed when it is whole: a run killed on the way leaves no half template behind.
    await client.query(`drop database if exists ${name}_new with (force)`)
    await client.query(`create database ${name}_new`)
    await migrate(at(server, `${name}_new`))
    await makeQueue(at(server, `${name}_new`))
    await client.query(`alter database ${name}_new rename to ${name}`)
    return name
  })
}

async function makeQueue(url: string): Promise<void> {
  const log = newLog('silent', 'test')
  const database = openDatabase(url, log, { max: 2 })
  try {
    const queue = await startQueue(database, log, false)
    await queue.stop()
  } finally {
    await database.close()
  }
}

function at(server: string, database: string): string {
  const url = new URL(server)
  url.pathname = `/${database}`
  return url.href
}

async function withServer<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 30_000, query_timeout: 60_000 })
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
