// Lists the Keepsake processes that use this database, and their keys. Each process puts both into the name of its connections.
import { hostname } from 'node:os'
import { sql } from 'kysely'
import type { Queries } from './database.ts'

export interface RunningProcess {
  /** For people: which part of Keepsake it is, its process id and its host. */
  name: string
  /** Newest first. */
  keyIds: string[]
}

/** PostgreSQL cuts names at 63 bytes, so the host comes last and is shortened. */
const HOST_LENGTH = 20

const own = `${process.pid}@${hostname().slice(0, HOST_LENGTH)}`

export const connectionName = (part: string, keyIds: readonly string[]): string =>
  `keepsake ${part} ${keyIds.slice(0, 3).join(',')} ${own}`

/** All processes but this one. */
export async function othersRunning(db: Queries): Promise<RunningProcess[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct application_name as name from pg_stat_activity
    where datname = current_database() and application_name like 'keepsake %' order by 1`.execute(db)
  return rows.flatMap(({ name }) => {
    const [, part = '', keys = '', place = ''] = name.split(' ')
    // Names without a place are the listening and presence connections of a process that is listed already.
    return place === '' || place === own ? [] : [{ name: `${part} ${place}`, keyIds: keys.split(',') }]
  })
}
