// Which processes of Keepsake use this database now, and with which keys: each tells by the name of its connections.
import { hostname } from 'node:os'
import { sql } from 'kysely'
import type { Queries } from './database.ts'

export interface RunningProcess {
  /** For people: what it is and where. */
  name: string
  /** The newest first. */
  keyIds: string[]
}

/** PostgreSQL cuts names off at 63 bytes; what is needed comes first. */
const HOST_LENGTH = 20

const own = `${process.pid}@${hostname().slice(0, HOST_LENGTH)}`

export const connectionName = (part: string, keyIds: readonly string[]): string =>
  `keepsake ${part} ${keyIds.slice(0, 3).join(',')} ${own}`

/** All but the one that asks. */
export async function othersRunning(db: Queries): Promise<RunningProcess[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct application_name as name from pg_stat_activity
    where datname = current_database() and application_name like 'keepsake %' order by 1`.execute(db)
  return rows.flatMap(({ name }) => {
    const [, part = '', keys = '', place = ''] = name.split(' ')
    // What listens and what shows that a worker lives are connections of one that is listed already.
    return place === '' || place === own ? [] : [{ name: `${part} ${place}`, keyIds: keys.split(',') }]
  })
}
