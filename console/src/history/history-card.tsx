// The history of one thing: every change that somebody made to it, newest first, from the audit.

import { History, TerminalSquare, Ticket, UserRound } from 'lucide-react'
import { type AuditEvent, type AuditObject, useAudit } from '../api/audit.ts'
import { useMay } from '../api/session.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { Card, CardTitle } from '../parts/page.tsx'
import { Ago } from '../parts/time.tsx'
import { t, tn } from '../words/t.ts'
import { changesOf } from './changes.ts'

interface Props {
  object: AuditObject
  /** The name or id of the thing, as the audit has it. */
  objectId: string
  /** In place of "Nobody has changed it." */
  nothing?: string
}

/** Nothing at all for those who may not read the audit. */
export function HistoryCard({ object, objectId, nothing = t('Nobody has changed it since it was made.') }: Props) {
  const may = useMay('admin')
  if (!may) return null
  return (
    <Card>
      <CardTitle>
        <span className="inline-flex items-center gap-2">
          <History aria-hidden className="size-4.5 shrink-0" /> {t('History')}
        </span>
      </CardTitle>
      <HistoryList object={object} objectId={objectId} nothing={nothing} />
    </Card>
  )
}

/** The same without a card around it, for a dialog. */
export function HistoryList({ object, objectId, nothing }: Required<Props>) {
  const may = useMay('admin')
  const events = useAudit(object, objectId, may)
  const items = events.data?.pages.flatMap(page => page.items) ?? []
  if (!may) return null
  return (
    <>
      {events.isPending && <Loading rows={2} />}
      {events.isError && (
        <div className="p-4">
          <ErrorNote error={events.error} retry={() => void events.refetch()} />
        </div>
      )}
      {events.isSuccess && items.length === 0 && <p className="p-4 text-soft">{nothing}</p>}
      <ol aria-label={t('Changes')}>
        {items.map(event => (
          <li key={event.event_id} className="border-b border-line px-4 py-3 last:border-0">
            <HistoryEvent event={event} />
          </li>
        ))}
      </ol>
      <OlderChanges events={events} />
    </>
  )
}

export function OlderChanges({ events }: { events: ReturnType<typeof useAudit> }) {
  if (!events.hasNextPage) return null
  return (
    <div className="border-t border-line p-3 text-center">
      <Button look="quiet" busy={events.isFetchingNextPage} onClick={() => void events.fetchNextPage()}>
        {t('Show older changes')}
      </Button>
    </div>
  )
}

const words: Record<AuditEvent['action'], string> = {
  create: t('Made'),
  update: t('Changed'),
  delete: t('Deleted'),
  restore: t('Put back to an earlier version'),
  undelete: t('Taken back from deletion'),
  rotate_secret: t('Secret changed'),
  cancel: t('Cancelled'),
  retry: t('Run again'),
  retract: t('Deliveries taken back'),
  resend: t('Callback sent again'),
  reissue: t('Code given anew'),
  approve: t('Let onto the wall'),
  hide: t('Taken off the wall'),
}

/** Fields that are shown at once; the rest opens on a press. */
const FIRST = 4

/** One change. */
export function HistoryEvent({ event }: { event: AuditEvent }) {
  const changes = changesOf(event)
  const more = changes.length - FIRST
  return (
    <>
      <div className="flex flex-wrap items-baseline justify-between gap-x-3">
        <p className="font-semibold">{words[event.action]}</p>
        <Ago at={event.created_at} className="text-[13.5px] text-soft" />
      </div>
      <Who actor={event.actor} />
      {changes.length > 0 && <Fields changes={changes.slice(0, FIRST)} />}
      {more > 0 && (
        <details className="mt-1">
          <summary className="text-[13.5px] font-semibold text-soft hover:text-ink">
            {tn(more, '1 more field', '{count} more fields', { count: more })}
          </summary>
          <Fields changes={changes.slice(FIRST)} />
        </details>
      )}
    </>
  )
}

const icons = { token: Ticket, session: UserRound, command_line: TerminalSquare, guest: UserRound } as const
const ways = {
  token: t('with a token'),
  session: t('in the console'),
  command_line: t('on the machine itself'),
  guest: t('with the code of the keepsake'),
} as const

function Who({ actor }: { actor: AuditEvent['actor'] }) {
  const Icon = icons[actor.kind]
  return (
    <p className="mt-0.5 flex flex-wrap items-center gap-x-1.5 text-[13.5px] text-soft">
      <Icon aria-hidden className="size-3.5 shrink-0" />
      <bdi className="font-semibold text-ink [overflow-wrap:anywhere]">{actor.name}</bdi>
      <span>{ways[actor.kind]}</span>
      {actor.address && <span className="font-mono text-[12px]">{actor.address}</span>}
    </p>
  )
}

function Fields({ changes }: { changes: ReturnType<typeof changesOf> }) {
  return (
    <dl className="mt-1.5 space-y-1 text-[13.5px]">
      {changes.map(({ field, before, after }) => (
        <div key={field} className="[overflow-wrap:anywhere]">
          <dt className="inline font-mono text-[12.5px] text-soft">{field}</dt>{' '}
          <dd className="inline">
            {before !== null && (
              <del className="text-soft decoration-fail/60" dir="auto">
                {before}
              </del>
            )}{' '}
            {after === null ? (
              <span className="text-soft">{t('(taken away)')}</span>
            ) : (
              <ins className="no-underline" dir="auto">
                {after}
              </ins>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}
