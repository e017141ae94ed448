// Queries about the audit: who changed what. An event is written in the transaction of its change.
import { type Selectable, sql } from 'kysely'
import type { Actor } from '#kit/actor.ts'
import { newId } from '#kit/ids.ts'
import type { Queries, Trx } from '../database.ts'
import { newestFirst, type Page, type PageRequest } from '../page.ts'
import type { AuditAction, AuditObject, Tables } from '../tables.ts'
import type { Visible } from '../visible.ts'

export type AuditEvent = Selectable<Tables['audit_events']>

/** What changed. `before` and `after` hold no secrets; null: there was, or is, nothing. */
interface Change {
  action: AuditAction
  object: AuditObject
  object_id: string
  experience_id: string | null
  before: object | null
  after: object | null
}

/** What one side of a change may take in the database. */
const MOST_CHARACTERS = 16_384

export async function recordChange(trx: Trx, actor: Actor, { before, after, ...change }: Change): Promise<void> {
  await trx
    .insertInto('audit_events')
    .values({
      event_id: newId(),
      ...change,
      actor_kind: actor.kind,
      token_id: actor.token_id,
      actor: actor.name,
      address: actor.address,
      before: clipped(before),
      after: clipped(after),
      created_at: new Date(),
    })
    .execute()
}

/** As JSON. The largest fields of what is too long are replaced by their length. */
export function clipped(side: object | null): string | null {
  if (side === null) return null
  const fields = new Map(Object.entries(side).map(([name, value]) => [name, JSON.stringify(value) ?? 'null']))
  const length = (): number => [...fields].reduce((sum, [name, text]) => sum + name.length + text.length + 6, 2)
  while (length() > MOST_CHARACTERS) {
    const [name, text] = [...fields].reduce((largest, each) => (each[1].length > largest[1].length ? each : largest))
    fields.set(name, JSON.stringify({ left_out_characters: text.length }))
  }
  return `{${[...fields].map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`
}

interface AuditFilters {
  object?: AuditObject | undefined
  object_id?: string | undefined
  action?: AuditAction | undefined
  actor?: string | undefined
  token_id?: string | undefined
  experience_id?: string | undefined
  created_after?: Date | undefined
  created_before?: Date | undefined
}

export function listAuditEvents(
  db: Queries,
  visible: Visible,
  { created_after, created_before, ...where }: AuditFilters,
  page: PageRequest,
): Promise<Page<AuditEvent>> {
  const and = [
    ...(created_after === undefined ? [] : [sql`t.created_at >= ${created_after}`]),
    ...(created_before === undefined ? [] : [sql`t.created_at < ${created_before}`]),
  ]
  return newestFirst(db, 'audit_events', { page, visible, where, and })
}

/** Of somebody who is erased, what was changed is kept, not what it was. */
export async function emptyAuditOf(trx: Trx, object: AuditObject, objectId: string): Promise<void> {
  await trx
    .updateTable('audit_events')
    .set({ before: null, after: null })
    .where('object_id', '=', objectId)
    .where('object', '=', object)
    .execute()
}

/** Deletes some events that are older than so many days. Returns how many. */
export async function forgetOldAudit(db: Queries, days: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from audit_events where event_id = any(array(
      select event_id from audit_events where created_at < now() - ${days} * interval '1 day'
      order by created_at limit ${limit}))`.execute(db)
  return Number(numAffectedRows ?? 0)
}
