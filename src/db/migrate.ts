// Applies migrations/*.sql in order, each once, under a lock: any number of processes may start together. Refuses newer data that it can't work on.
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { CannotStart } from '#kit/cannot-start.ts'
import { keepAlive, usualPace } from './pace.ts'

const folder = fileURLToPath(new URL('../../migrations/', import.meta.url))
const LOCK = 0x6b656570 // 'keep'
const OLDEST = 150_000

/** `wanted`: only these, as a copy of an earlier version needs them. */
export async function migrate(databaseUrl: string, wanted?: readonly string[]): Promise<string[]> {
  const client = new pg.Client({ ...keepAlive, connectionString: databaseUrl })
  await client.connect()
  try {
    await checkVersion(client)
    await client.query('select pg_advisory_lock($1)', [LOCK])
    return await applyMissing(client, wanted)
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
  const client = new pg.Client({ ...keepAlive, connectionString: databaseUrl, query_timeout: usualPace.answerMs })
  try {
    await client.connect()
    const { rowCount } = await client.query(`select where to_regclass('migrations') is not null`)
    if (rowCount) await appliedOf(client)
  } finally {
    await client.end()
  }
}

/** Those that this version knows. */
export const knownMigrations = async (): Promise<string[]> =>
  (await readdir(folder)).filter(name => name.endsWith('.sql')).sort()

/**
 * The migrations that the database has. Throws if a newer version has changed it in a way that this one cannot work beside:
 * each migration tells the oldest newest migration that a process must know.
 */
async function appliedOf(client: pg.Client): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string; beside: string | null }>(
    `select name, to_jsonb(migrations) ->> 'beside' as beside from migrations order by name`,
  )
  const files = await knownMigrations()
  const newest = files.at(-1) ?? ''
  const later = rows.find(({ name, beside }) => !files.includes(name) && (beside === null || beside > newest))
  if (later)
    throw new CannotStart(
      `The database was changed by a newer Keepsake (migration ${later.name}), which this version does not know; start that version or a later one`,
    )
  return new Set(rows.map(({ name }) => name))
}

/** What a migration says of earlier processes, in a line of its own: `-- beside: 0022_task_failures.sql`. */
const besideOf = (sql: string): string | null => /^-- beside: (\d{4}_[a-z0-9_]{1,100}\.sql)$/m.exec(sql)?.[1] ?? null

async function applyMissing(client: pg.Client, wanted?: readonly string[]): Promise<string[]> {
  await client.query(
    'create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())',
  )
  await client.query('alter table migrations add column if not exists beside text')
  const done = await appliedOf(client)
  const missing = (await knownMigrations()).filter(name => !done.has(name) && (wanted?.includes(name) ?? true))
  for (const name of missing) {
    await client.query('begin')
    try {
      const sql = await readFile(folder + name, 'utf8')
      await client.query(sql)
      await client.query('insert into migrations (name, beside) values ($1, $2)', [name, besideOf(sql)])
      await client.query('commit')
    } catch (error) {
      await client.query('rollback')
      throw new Error(`migration ${name} failed`, { cause: error })
    }
  }
  return missing
}
