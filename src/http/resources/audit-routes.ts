// /api/audit/: who changed what, when and from where.
import { type AuditEvent as AuditRow, listAuditEvents } from '#db/nouns/audit-rows.ts'
import { answer } from '../contract/answers.ts'
import { AuditEvent, auditFilters } from '../contract/audit-shapes.ts'
import { ListOf, ListQuery } from '../contract/shapes.ts'
import type { Resource } from '../route/route.ts'
import { readTime } from '../wire/read-time.ts'

export const audit: Resource = (app, { db }) => {
  app.get(
    '/api/audit/',
    {
      config: { scope: 'admin' },
      schema: {
        tags: ['Audit'],
        operationId: 'listAuditEvents',
        summary: 'List what was changed',
        description:
          'Every change that was made through the API, the console or the command line, with who made it. A token that is limited to experiences sees what was changed in these.',
        querystring: ListQuery(auditFilters),
        response: { 200: answer('A page of changes.', ListOf(AuditEvent)) },
      },
    },
    async request => {
      const { limit, cursor, created_after: from, created_before: to, ...filters } = request.query
      const times = {
        ...(from === undefined ? {} : { created_after: readTime('created_after', from) }),
        ...(to === undefined ? {} : { created_before: readTime('created_before', to) }),
      }
      const page = await listAuditEvents(db, request.access.experiences, { ...filters, ...times }, { limit, cursor })
      return { items: page.items.map(shown), next_cursor: page.next_cursor }
    },
  )
}

const shown = ({ actor_kind, token_id, actor, address, created_at, ...event }: AuditRow): AuditEvent => ({
  event_id: event.event_id,
  action: event.action,
  object: event.object,
  object_id: event.object_id,
  experience_id: event.experience_id,
  actor: { kind: actor_kind, token_id, name: actor, address },
  before: event.before,
  after: event.after,
  created_at: created_at.toISOString(),
})
