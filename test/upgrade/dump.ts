// A database as plain SQL, written and read by code: no tool of PostgreSQL and no version of it is needed.
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type pg from 'pg'

const PER_STATEMENT = 50

/** Everything: the schema as the version in `project` makes it, the rows, and where the sequences stand. */
export async function dump(client: pg.Client, project: string): Promise<string> {
  const parts = [schemaOf(project)]
  for (const table of await tablesOf(client)) parts.push(`delete from ${table};`, ...(await rowsOf(client, table)))
  const { rows } = await client.query<{ name: string; value: string }>(
    `select format('%I.%I', schemaname, sequencename) as name, last_value as value from pg_sequences
     where schemaname in ('public', 'pgboss') and last_value is not null order by 1`,
  )
  for (const { name, value } of rows) parts.push(`select setval('${name}', ${value});`)
  return `${parts.join('\n')}\n`
}

function schemaOf(project: string): string {
  const folder = join(project, 'migrations')
  const migrations = readdirSync(folder)
    .sort()
    .map(name => readFileSync(join(folder, name), 'utf8'))
  const load = createRequire(join(project, 'package.json'))
  const { getConstructionPlans } = load('pg-boss') as { getConstructionPlans(schema: string): string }
  return [
    'create table migrations (name text primary key, applied_at timestamptz not null default now());',
    ...migrations,
    getConstructionPlans('pgboss'),
  ].join('\n')
}

/** In the order in which they were made, so that each comes after those it refers to. */
async function tablesOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select format('%I.%I', nspname, relname) as name from pg_class join pg_namespace n on n.oid = relnamespace
     where nspname in ('public', 'pgboss') and relkind in ('r', 'p') and not relispartition order by pg_class.oid`,
  )
  return rows.map(({ name }) => name)
}

async function rowsOf(client: pg.Client, table: string): Promise<string[]> {
  const { rows: columns } = await client.query<{ name: string }>(
    `select quote_ident(attname) as name from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
    [table],
  )
  const names = columns.map(({ name }) => name)
  const literals = names.map(name => `quote_nullable(${name}::text)`).join(', ')
  const { rows } = await client.query<{ row: string }>(
    `select '(' || concat_ws(', ', ${literals}) || ')' as row from ${table} order by 1`,
  )
  const statements: string[] = []
  for (let at = 0; at < rows.length; at += PER_STATEMENT) {
    const some = rows.slice(at, at + PER_STATEMENT).map(({ row }) => row)
    statements.push(`insert into ${table} (${names.join(', ')}) values\n${some.join(',\n')};`)
  }
  return statements
}

/** Reads a dump into an empty database, as if all had happened so much later. */
export async function load(client: pg.Client, sql: string, laterMs: number): Promise<void> {
  await client.query(sql)
  const { rows } = await client.query<{ table: string; columns: string[] }>(
    `select format('%I.%I', nspname, relname) as table, array_agg(quote_ident(attname)::text) as columns
     from pg_attribute join pg_class c on c.oid = attrelid join pg_namespace n on n.oid = relnamespace
     where nspname in ('public', 'pgboss') and relkind in ('r', 'p') and not relispartition
       and attnum > 0 and not attisdropped and attgenerated = '' and atttypid = 'timestamptz'::regtype
     group by 1`,
  )
  const later = `interval '${Math.round(laterMs / 1000)} seconds'`
  for (const { table, columns } of rows)
    await client.query(`update ${table} set ${columns.map(name => `${name} = ${name} + ${later}`).join(', ')}`)
}
