// Reads which PostgreSQL version answers at a URL.
import pg from 'pg'
import { keepAlive, usualPace } from './pace.ts'

export async function serverVersion(url: string): Promise<string> {
  const client = new pg.Client({ ...keepAlive, connectionString: url, query_timeout: usualPace.answerMs })
  try {
    await client.connect()
    const { rows } = await client.query<{ server_version: string }>('show server_version')
    return rows[0]?.server_version ?? 'unknown'
  } finally {
    await client.end()
  }
}
