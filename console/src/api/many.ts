// Work on many at once: first the count, by a dry run, then the work.
import type { QueryClient } from '@tanstack/react-query'
import { at, send } from './client.ts'
import type { Kind } from './tasks.ts'

export type Deed = 'retry' | 'cancel' | 'try-now' | 'resend'

/** What is worked on: a filter as the lists take it, or ids. */
export interface Many {
  deed: Deed
  /** Not of callbacks. */
  kind: Kind
  filter: Record<string, string | string[]>
}

const place = ({ deed, kind }: Many): string => (deed === 'resend' ? at('callback', 'resend') : at(kind, deed))

export const countMany = async (many: Many): Promise<number> =>
  (await send<{ count: number }>('POST', place(many), { ...many.filter, dry_run: true })).count

export const doMany = async (many: Many): Promise<number> =>
  (await send<{ count: number }>('POST', place(many), many.filter)).count

/** All that such a deed changes is asked anew. */
export function freshenMany(client: QueryClient): void {
  for (const key of ['trouble', 'stats', 'callback', 'task', 'taskgroup'])
    void client.invalidateQueries({ queryKey: [key] })
}
