// Queries about visits: what the guest of a keepsake is known by, and the keepsakes that belong to the same guest.
import { sql } from 'kysely'
import type { Queries } from '../database.ts'
import type { WholeKeepsake } from '../nouns/keepsake-rows.ts'
import { isSame, leads } from '../nouns/profiles-lookup.ts'
import { byKey } from '../prepared-client.ts'
import type { LookupKind, StoredFile } from '../tables.ts'

export interface GuestName {
  kind: LookupKind
  key: string
}

const MOST_NAMES = 500
/** More than these are not shown on one page. */
const MOST_KEEPSAKES = 60

/** What can be typed of that by which the keepsake, or the guests of its tasks, are known. The work does not depend on what was typed. */
export async function listGuestNames(db: Queries, keepsakeId: string): Promise<GuestName[]> {
  const { rows } = await sql<GuestName>`
    select ${byKey} kind, key from keepsake_lookups where keepsake_id = ${keepsakeId} and kind <> 'profile_id'
    union
    select l.kind, l.key from tasks t join task_guests g using (task_id) join profile_lookups l using (profile_id)
    where t.keepsake_id = ${keepsakeId}
    limit ${MOST_NAMES}`.execute(db)
  return rows
}

/** A keepsake of the same guest, with the newest file that is ready. */
export interface VisitedKeepsake extends WholeKeepsake {
  number: number | null
  output: StoredFile | null
  /** Something is under way, or nothing was sent yet. */
  is_being_made: boolean
}

/** The other keepsakes of the experience that are known by the name, or by another name of the same profile, or whose tasks found that. The newest first. */
export async function listVisit(
  db: Queries,
  { keepsake_id, experience_id }: Pick<WholeKeepsake, 'keepsake_id' | 'experience_id'>,
  { kind, key }: GuestName,
): Promise<VisitedKeepsake[]> {
  const isHere = sql`(l.experience_id = ${experience_id} or l.experience_id is null)`
  const isShared = sql`lookup_is_shared(l.profile_id, l.experience_id, l.kind, l.key)`
  const { rows } = await sql<VisitedKeepsake>`
    with named as (select ${kind}::text as kind, ${key}::text as key), person as (
      select l.profile_id from profile_lookups l, named w where ${leads('l', 'w')} and ${isHere}
    ), names as (
      select kind, key, exists (select from profile_lookups l where ${isSame('l', 'named')} and ${isHere} and ${isShared}) as exact from named
      union select l.kind, l.key, ${isShared} from person join profile_lookups l using (profile_id)
      union select 'profile_id', profile_id::text, false from person
    ), theirs as (
      select l.keepsake_id from names n join keepsake_lookups l on ${isSame('n', 'l')} and (not n.exact or n.key = l.key)
      union select t.keepsake_id from person join task_guests g using (profile_id) join tasks t using (task_id)
    )
    select k.*, x.guest_page, x.name, x.retention_days, f.number, f.output,
      exists (select from keepsake_files kf join chains c using (chain_id) where kf.keepsake_id = k.keepsake_id and c.status in ('Waiting', 'Running'))
        or not exists (select from keepsake_files kf where kf.keepsake_id = k.keepsake_id) as is_being_made
    from theirs join keepsakes k using (keepsake_id) join experiences x using (experience_id)
    left join lateral (
      select kf.number, e.output
      from keepsake_files kf join chains c using (chain_id) join tasks t using (task_id) cross join lateral (
        select output from entries where chain_id = c.chain_id and status = 'Succeeded' order by index desc limit 1
      ) e
      where kf.keepsake_id = k.keepsake_id and c.status = 'Succeeded' and t.files_deleted_at is null and json_typeof(e.output) = 'object'
      order by kf.number desc limit 1
    ) f on true
    where k.experience_id = ${experience_id} and k.keepsake_id <> ${keepsake_id} and k.erased_at is null
    order by k.created_at desc, k.keepsake_id desc limit ${MOST_KEEPSAKES}`.execute(db)
  return rows
}

/** Counts a try. Answers the seconds to wait if there were too many within an hour, else 0; who has to wait is not counted. */
export async function countTry(db: Queries, keepsakeId: string, most: number): Promise<number> {
  const { rows } = await sql<{ is_counted: boolean; seconds: number }>`
    with counted as (
      insert into visit_tries (keepsake_id, tried_at) values (${keepsakeId}, array[now()])
      on conflict (keepsake_id) do update
        set tried_at = array(select t from unnest(visit_tries.tried_at) t where t > now() - interval '1 hour') || now()
        where (select count(*) from unnest(visit_tries.tried_at) t where t > now() - interval '1 hour') < ${most}
      returning keepsake_id
    )
    select exists (select from counted) as is_counted, coalesce(ceil(extract(epoch from (
      select min(t) from visit_tries v, unnest(v.tried_at) t where v.keepsake_id = ${keepsakeId} and t > now() - interval '1 hour'
    ) + interval '1 hour' - now())), 1)::int as seconds`.execute(db)
  return rows[0]?.is_counted ? 0 : Math.max(1, rows[0]?.seconds ?? 1)
}
