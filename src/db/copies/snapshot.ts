// Reads all rows as they are at one instant, while others go on writing.
import type { Readable } from 'node:stream'
import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { keepAlive } from '../pace.ts'
import { type Counter, columnsOf, countersOf, tablesOf } from './catalog.ts'

export interface Table {
  name: string
  columns: string[]
}

export interface DatabaseSnapshot {
  migrations: string[]
  /** Each behind those that it refers to. */
  tables: Table[]
  counters: Counter[]
  /** The rows of a table, in PostgreSQL's text format. One at a time. */
  rows(table: Table): Readable
}

/** The database must have been brought up to date before. */
export async function withSnapshot<T>(url: string, work: (snapshot: DatabaseSnapshot) => Promise<T>): Promise<T> {
  const client = new pg.Client({ ...keepAlive, connectionString: url })
  await client.connect()
  try {
    // A backup may take long, and no statement of it waits for anybody.
    await client.query('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0')
    await client.query('begin isolation level repeatable read read only')
    const { rows } = await client.query<{ name: string }>('select name from migrations order by name')
    const tables: Table[] = []
    for (const name of await tablesOf(client)) tables.push({ name, columns: await columnsOf(client, name) })
    return await work({
      migrations: rows.map(({ name }) => name),
      tables,
      counters: await countersOf(client),
      rows: table => client.query(copyTo(`copy ${listOf(client, table)} to stdout`)),
    })
  } finally {
    await client.end()
  }
}

export const listOf = (client: pg.Client, { name, columns }: Table): string =>
  `${client.escapeIdentifier(name)} (${columns.map(column => client.escapeIdentifier(column)).join(', ')})`
