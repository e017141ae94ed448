// Applies migrations/*.sql in order, each once, under a lock: any number of processes may start together. Refuses newer data.
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { CannotStart } from '#kit/cannot-start.ts'
import { lively, usualPace } from './pace.ts'

const folder = fileURLToPath(new URL('../../migrations/', import.meta.url))
const LOCK = 0x6b656570 // 'keep'
const OLDEST = 150_000

export async function migrate(databaseUrl: string): Promise<string[]> {
  const client = new pg.Client({ ...lively, connectionString: databaseUrl })
  await client.connect()
  try {
    await checkVersion(client)
    await client.query('select pg_advisory_lock($1)', [LOCK])
    return await applyMissing(client)
  } finally {
    await client.end()
  }
}

async function checkVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ server_version_num: string }>('show server_version_num')
  if (Number(rows[0]?.server_version_num) < OLDEST)
    throw new CannotStart('DATABASE_URL points to a PostgreSQL older than 15; 15 or newer is needed')
}

/** Refuses a database that a newer version has changed: this version would break what it does not know. */
export async function refuseNewer(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ ...lively, connectionString: databaseUrl, query_timeout: usualPace.answerMs })
  try {
    await client.connect()
    const { rowCount } = await client.query(`select where to_regclass('migrations') is not null`)
    if (rowCount) await appliedOf(client)
  } finally {
    await client.end()
  }
}

const known = async (): Promise<string[]> => (await readdir(folder)).filter(name => name.endsWith('.sql')).sort()

/** The migrations that the database has. Throws if this version does not know one of them. */
async function appliedOf(client: pg.Client): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>('select name from migrations order by name')
  const files = await known()
  const later = rows.find(({ name }) => !files.includes(name))
  if (later)
    throw new CannotStart(
      `The database was changed by a newer Keepsake (migration ${later.name}), which this version does not know; start that version or a later one`,
    )
  return new Set(rows.map(({ name }) => name))
}

async function applyMissing(client: pg.Client): Promise<string[]> {
  await client.query(
    'create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())',
  )
  const done = await appliedOf(client)
  const missing = (await known()).filter(name => !done.has(name))
  for (const name of missing) {
    await client.query('begin')
    try {
      await client.query(await readFile(folder + name, 'utf8'))
      await client.query('insert into migrations (name) values ($1)', [name])
      await client.query('commit')
    } catch (error) {
      await client.query('rollback')
      throw new Error(`migration ${name} failed`, { cause: error })
    }
  }
  return missing
}
