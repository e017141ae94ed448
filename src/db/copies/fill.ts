// Fills an empty database with the rows of a copy, all or none.
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { CannotStart } from '#kit/cannot-start.ts'
import { keepAlive } from '../pace.ts'
import type { Counter } from './catalog.ts'
import { listOf, type Table } from './snapshot.ts'

interface Rows {
  tables: readonly Table[]
  counters: readonly Counter[]
  read(table: Table): Readable
}

/** Throws where there is something already. */
export async function refuseUsed(url: string): Promise<void> {
  const client = new pg.Client({ ...keepAlive, connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ used: boolean }>(
      `select to_regclass('public.migrations') is not null as used`,
    )
    if (rows[0]?.used)
      throw new CannotStart('The database holds a Keepsake already; a backup is restored into an empty one alone')
  } finally {
    await client.end()
  }
}

/** The tables are those of the copy's own version. Returns the number of rows of each. */
export async function fill(url: string, { tables, counters, read }: Rows): Promise<Record<string, number>> {
  const client = new pg.Client({ ...keepAlive, connectionString: url })
  await client.connect()
  try {
    await client.query('set statement_timeout = 0')
    await client.query('begin')
    // A migration may have put rows in.
    const names = tables.map(({ name }) => client.escapeIdentifier(name))
    await client.query(`truncate ${names.join(', ')} cascade`)
    const counts: Record<string, number> = {}
    for (const table of tables) {
      const into = client.query(copyFrom(`copy ${listOf(client, table)} from stdin`))
      await pipeline(read(table), into)
      counts[table.name] = into.rowCount ?? 0
    }
    for (const { name, value, used } of counters)
      await client.query('select setval($1::regclass, $2::bigint, $3)', [name, value, used])
    // What was being received is not in a copy: its sender begins again.
    await client.query('delete from resumable_uploads where sha256 is null')
    await client.query('commit')
    return counts
  } finally {
    await client.end()
  }
}
