// What happened to a task: every attempt that failed, and what people did about it, newest first.

import { Ban, History, RotateCw, TriangleAlert } from 'lucide-react'
import type { TaskFailure } from '#http/contract/task-shapes.ts'
import { type AuditEvent, useAudit } from '../api/audit.ts'
import { useMay } from '../api/session.ts'
import { type Either, isGroup, type Kind, useFailures } from '../api/tasks.ts'
import { HistoryEvent, OlderChanges } from '../history/history-card.tsx'
import { ErrorNote } from '../parts/notes.tsx'
import { Card, CardTitle } from '../parts/page.tsx'
import { Ago } from '../parts/time.tsx'
import { t } from '../words/t.ts'

type Happened = { at: string; key: string } & ({ failure: TaskFailure } | { event: AuditEvent })

/** Nothing is shown of a task that nothing ever happened to. */
export function PastCard({ task, kind }: { task: Either; kind: Kind }) {
  const failures = useFailures(kind, task.task_id, task.updated_at + task.status)
  const events = useAudit(kind, task.task_id, useMay('admin'))
  const happened: Happened[] = [
    ...(failures.data ?? []).map((failure, at) => ({ failure, at: failure.last_at, key: `failure ${at}` })),
    ...(events.data?.pages.flatMap(page => page.items) ?? []).map(event => ({
      event,
      at: event.created_at,
      key: event.event_id,
    })),
  ].sort((one, other) => (one.at < other.at ? 1 : -1))
  const error = failures.error ?? events.error
  if (happened.length === 0 && !error) return null
  return (
    <Card>
      <CardTitle>
        <span className="inline-flex items-center gap-2">
          <History aria-hidden className="size-4.5 shrink-0" /> {t('What happened')}
        </span>
      </CardTitle>
      {error && (
        <div className="p-4">
          <ErrorNote error={error} />
        </div>
      )}
      <ol aria-label={t('What happened')}>
        {happened.map(one => (
          <li key={one.key} className="border-b border-line px-4 py-3 last:border-0">
            {'failure' in one ? (
              <Failed failure={one.failure} isInGroup={isGroup(task)} />
            ) : (
              <HistoryEvent event={one.event} />
            )}
          </li>
        ))}
      </ol>
      <OlderChanges events={events} />
    </Card>
  )
}

const looks = {
  Deferred: { icon: RotateCw, tone: 'text-warn' },
  Failed: { icon: TriangleAlert, tone: 'text-fail' },
  Cancelled: { icon: Ban, tone: 'text-soft' },
} as const

function title({ outcome, attempt, times }: TaskFailure): string {
  if (outcome === 'Cancelled') return t('Cut off')
  if (outcome === 'Failed') return attempt > 1 ? t('Failed for good at attempt {attempt}', { attempt }) : t('Failed')
  return times > 1
    ? t('{times} attempts failed in the same way', { times })
    : t('Attempt {attempt} failed', { attempt: Math.max(1, attempt) })
}

function Failed({ failure, isInGroup }: { failure: TaskFailure; isInGroup: boolean }) {
  const { icon: Icon, tone } = looks[failure.outcome]
  return (
    <>
      <div className="flex flex-wrap items-baseline justify-between gap-x-3">
        <p className={`inline-flex items-center gap-1.5 font-semibold ${tone}`}>
          <Icon aria-hidden className="size-4 shrink-0 self-center" /> {title(failure)}
        </p>
        <Ago at={failure.last_at} className="text-[13.5px] text-soft" />
      </div>
      <p className="text-[14px] [overflow-wrap:anywhere]" dir="auto">
        {failure.error.message}
      </p>
      <p className="text-[13.5px] text-soft">
        <span className="edgeprint">▸ {isInGroup ? `${failure.position + 1}.${failure.index}` : failure.index}</span>{' '}
        <bdi>{failure.configuration}</bdi>
        {failure.run > 1 && <span> · {t('run {run}', { run: failure.run })}</span>}
      </p>
    </>
  )
}
