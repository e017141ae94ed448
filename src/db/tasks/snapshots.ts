// Snapshots: a configuration with everything its chain names, as a task will see it. Stored once per content.
import { createHash } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { GuestPage } from '#kit/guest/guest-page.ts'
import { stableJson } from '#kit/json.ts'
import { meant, nameForms } from '#kit/text.ts'
import { type Db, json, type Queries, type Trx } from '../database.ts'
import type { Snapshot, Tables } from '../tables.ts'

type ConfigurationColumns = Pick<
  Selectable<Tables['configurations']>,
  | 'configuration_name'
  | 'experience_id'
  | 'kind'
  | 'adapter_name'
  | 'auth'
  | 'webhook_url'
  | 'overridable'
  | 'needs_consent'
  | 'without_consent'
>

export interface ConfigurationRow extends ConfigurationColumns {
  defaults: Record<string, never> | null
  activity_config: { experience_id?: string; activity_type: string; payload: Record<string, never> } | null
  call_chain: [string, number | null][] | null
  /** Of its experience. */
  guest_page: GuestPage | null
}

/**
 * The named configurations and all that their chains name, at any depth. Each is found by its key, however many there are (`offset 0` keeps the
 * planner from joining whole tables), and the names are passed as JSON: an array whose length PostgreSQL can count is planned each time.
 */
export async function configurationsBelow(
  db: Queries,
  names: readonly string[],
): Promise<Map<string, ConfigurationRow>> {
  const { rows } = await sql<ConfigurationRow>`
    with recursive below (name) as (
      select json_array_elements_text(${json(names.flatMap(nameForms))}::json)
      union
      select members.member from below cross join lateral (select member from chain_members where chain = name offset 0) as members
    )
    select found.* from below cross join lateral (
      select configuration_name, experience_id, kind, adapter_name, defaults, auth, activity_config, call_chain, webhook_url, overridable, needs_consent, without_consent,
        (select guest_page from experiences x where x.experience_id = configurations.experience_id) as guest_page
      from configurations where configuration_name = name offset 0
    ) as found`.execute(db)
  const found = new Map(rows.map(row => [row.configuration_name, row]))
  for (const name of names) {
    const row = found.get(meant(found.keys(), name) ?? '')
    if (row) found.set(name, row)
  }
  return found
}

export const snapshotId = (snapshot: Snapshot): string =>
  createHash('sha256').update(stableJson(snapshot)).digest('hex')

/** Far below the day after which an unused snapshot is deleted. */
const FRESH_MS = 15 * 60_000
const recentlyWritten = new WeakMap<Db, LRUCache<string, true>>()

/** The snapshots whose use must be noted, so that they are not swept while a row begins to refer to them. */
export function unwrittenSnapshots(db: Db, snapshots: ReadonlyMap<string, Snapshot>): Map<string, Snapshot> {
  const known = recentlyWritten.get(db)
  return new Map([...snapshots].filter(([id]) => !known?.has(id)))
}

export async function insertSnapshots(trx: Trx, snapshots: ReadonlyMap<string, Snapshot>): Promise<void> {
  if (snapshots.size === 0) return
  // Sorted, so that two groups with the same configurations wait for each other instead of deadlocking.
  const sorted = [...snapshots].sort(([one], [other]) => (one < other ? -1 : 1))
  await trx
    .insertInto('snapshots')
    .values(sorted.map(([snapshot_id, body]) => ({ snapshot_id, body: json(body), used_at: sql<Date>`now()` })))
    .onConflict(conflict => conflict.column('snapshot_id').doUpdateSet({ used_at: sql`now()` }))
    .execute()
}

/** Call it after the commit: for a while the use of these snapshots need not be noted again. */
export function rememberSnapshots(db: Db, ids: Iterable<string>): void {
  const known = recentlyWritten.get(db) ?? new LRUCache<string, true>({ max: 1000, ttl: FRESH_MS })
  for (const id of ids) if (!known.has(id)) known.set(id, true)
  recentlyWritten.set(db, known)
}

const cache = new LRUCache<string, Snapshot>({ max: 64 })

/** Caches the last snapshots used: a snapshot never changes. */
export async function snapshotsOf(
  queries: Queries,
  chains: readonly { snapshot_id: string }[],
): Promise<Map<string, Snapshot>> {
  const found = new Map<string, Snapshot>()
  const unknown: string[] = []
  for (const id of new Set(chains.map(chain => chain.snapshot_id))) {
    const known = cache.get(id)
    if (known) found.set(id, known)
    else unknown.push(id)
  }
  if (unknown.length > 0) {
    const rows = await queries
      .selectFrom('snapshots')
      .select(['snapshot_id', 'body'])
      .where('snapshot_id', '=', sql<string>`any(${unknown}::text[])`)
      .execute()
    for (const { snapshot_id, body } of rows) {
      found.set(snapshot_id, body)
      cache.set(snapshot_id, body)
    }
  }
  return found
}

/** Deletes some snapshots that were unused for a day. One that a task still refers to is checked again a day later. Returns how many it checked. */
export async function forgetUnusedSnapshots(db: Db, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with old as (
      select snapshot_id, (select true from chains c where c.snapshot_id = s.snapshot_id limit 1) is not null as used from snapshots s
      where used_at < now() - interval '1 day' order by used_at limit ${limit} for update of s skip locked
    ), kept as (update snapshots set used_at = now() where snapshot_id = any(array(select snapshot_id from old where used))
    ), gone as (delete from snapshots where snapshot_id = any(array(select snapshot_id from old where not used)))
    select count(*) as count from old`.execute(db)
  return rows[0]?.count ?? 0
}
