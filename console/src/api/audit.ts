// The audit of one thing: who changed it, when and from where.
import { useInfiniteQuery } from '@tanstack/react-query'
import type { AuditEvent as AuditAnswer } from '#http/contract/audit-shapes.ts'
import { at, get, query } from './client.ts'
import type { JsonObject, List } from './shapes.ts'

export type AuditEvent = Omit<AuditAnswer, 'before' | 'after'> & {
  before: JsonObject | null
  after: JsonObject | null
}
export type AuditObject = AuditEvent['object']

const PAGE = 10

/** `isWanted`: only tokens of the scope `admin` may read it. */
export const useAudit = (object: AuditObject, objectId: string, isWanted: boolean) =>
  useInfiniteQuery({
    queryKey: ['audit', object, objectId],
    queryFn: ({ pageParam, signal }) =>
      get<List<AuditEvent>>(
        query(at('audit'), { object, object_id: objectId, limit: PAGE, cursor: pageParam }),
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: page => page.next_cursor,
    enabled: isWanted,
  })
