// Which tables a copy of the database holds, each behind those that it refers to, and where its counters stand.
import type pg from 'pg'

export interface Counter {
  name: string
  value: string
  used: boolean
}

/** Rows of these mean nothing in another place: who is signed in or at work now. */
const MOMENTARY = new Set(['migrations', 'sessions', 'workers', 'turns', 'token_use'])

interface Link {
  name: string
  needs: string[]
}

/** Our own tables; those of the queue are made anew, and their jobs from the tasks. */
export async function tablesOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<Link>(
    `select c.relname as name, coalesce((
       select array_agg(distinct other.relname::text) from pg_constraint k join pg_class other on other.oid = k.confrelid
       where k.contype = 'f' and k.conrelid = c.oid and k.confrelid <> c.oid), '{}') as needs
     from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' order by c.relname`,
  )
  return inOrder(rows).filter(name => !MOMENTARY.has(name))
}

function inOrder(links: readonly Link[]): string[] {
  const byName = new Map(links.map(link => [link.name, link]))
  const done = new Set<string>()
  const under = new Set<string>()
  const visit = ({ name, needs }: Link): void => {
    if (done.has(name)) return
    if (under.has(name)) throw new Error(`the tables around ${name} refer to each other in a circle`)
    under.add(name)
    for (const need of needs) {
      const other = byName.get(need)
      if (other) visit(other)
    }
    done.add(name)
  }
  for (const link of links) visit(link)
  return [...done]
}

/** Without what PostgreSQL computes by itself. */
export async function columnsOf(client: pg.Client, table: string): Promise<string[]> {
  const { rows } = await client.query<{ attname: string }>(
    `select attname from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
    [table],
  )
  return rows.map(({ attname }) => attname)
}

export async function countersOf(client: pg.Client): Promise<Counter[]> {
  const { rows: names } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'S' order by relname`,
  )
  const counters: Counter[] = []
  for (const { name } of names) {
    const { rows } = await client.query<{ value: string; used: boolean }>(
      `select last_value::text as value, is_called as used from ${client.escapeIdentifier(name)}`,
    )
    if (rows[0]) counters.push({ name, ...rows[0] })
  }
  return counters
}
