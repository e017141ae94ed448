// What needs a hand, cause by cause: what it is, why, since when, and one button that mends it.

import {
  BellOff,
  CheckCircle2,
  CircleX,
  Cpu,
  EyeOff,
  HardDrive,
  Hourglass,
  type LucideIcon,
  Printer,
  RotateCw,
  Send,
  TriangleAlert,
  Users,
} from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useEvent } from '../api/event.ts'
import type { Many } from '../api/many.ts'
import { useMay } from '../api/session.ts'
import type { Trouble } from '../api/shapes.ts'
import type { Kind } from '../api/tasks.ts'
import { bytes, count } from '../format/size.ts'
import { ConfirmMany } from '../many/confirm-many.tsx'
import { Button, IconButton, LinkButton } from '../parts/button.tsx'
import { Card, CardTitle } from '../parts/page.tsx'
import { Ago } from '../parts/time.tsx'
import { t, tn } from '../words/t.ts'
import { type Cause, causesOf, isAside, putAside, showAgain, useAside } from './causes.ts'

export function NeedsAHand({ trouble }: { trouble: Trouble }) {
  const [many, setMany] = useState<Many | null>(null)
  const kept = useAside()
  const all = causesOf(trouble)
  const shown = all.filter(cause => !isAside(cause, kept))
  const hidden = all.length - shown.length
  return (
    <Card>
      <CardTitle
        aside={
          hidden > 0 && (
            <Button look="quiet" onClick={showAgain}>
              {tn(hidden, 'Show 1 that was put aside', 'Show {count} that were put aside', { count: hidden })}
            </Button>
          )
        }
      >
        {t('Needs a hand')}
      </CardTitle>
      {shown.length === 0 && (
        <p className="flex items-center gap-2.5 p-4">
          <CheckCircle2 aria-hidden className="size-5 shrink-0 text-ok" />
          {t('Nothing does: every destination and every receiver answers.')}
        </p>
      )}
      <ul>
        {shown.map(cause => (
          <li key={cause.key} className="border-b border-line px-4 py-3 last:border-0">
            <CauseLine cause={cause} act={setMany} />
          </li>
        ))}
      </ul>
      <ConfirmMany many={many} onClose={() => setMany(null)} />
    </Card>
  )
}

function CauseLine({ cause, act }: { cause: Cause; act(many: Many): void }) {
  const event = useEvent()
  const scope = event === null ? {} : { experience_id: event }
  switch (cause.sort) {
    case 'failed': {
      const { is_group, error_code, configuration, first_created_at, message, last_at, task_id } = cause.of
      const kind: Kind = is_group ? 'taskgroup' : 'task'
      const filter = { status: 'Failed', error_code, configuration, created_after: first_created_at, ...scope }
      const open = new URLSearchParams({ status: 'Failed', error_code, configuration })
      return (
        <Line
          icon={CircleX}
          tone="text-fail"
          title={<Failed number={cause.of.count} kind={kind} configuration={configuration} />}
          reason={message}
          when={t('Last: {when}', { when: <Ago at={last_at} /> })}
          aside={() => putAside(cause)}
          open={cause.of.count === 1 ? placeOf(kind, task_id) : `${kind === 'task' ? '/tasks' : '/groups'}?${open}`}
          action={{
            icon: RotateCw,
            word: t('Retry {count}', { count: count(cause.of.count) }),
            many: { deed: 'retry', kind, filter },
          }}
          act={act}
        />
      )
    }
    case 'retrying': {
      const { is_group, configuration, chains, message, next_at, adapter_name, task_id } = cause.of
      const kind: Kind = is_group ? 'taskgroup' : 'task'
      const prints = adapter_name.startsWith('print_')
      // Where several use it, one filter finds them only with all others that wait.
      const found: Many['filter'] = chains.length === 1 ? { configuration: chains[0] as string } : { status: 'Running' }
      return (
        <Line
          icon={prints ? Printer : Hourglass}
          tone="text-warn"
          title={
            <>
              <Name>{configuration}</Name>{' '}
              {prints
                ? tn(cause.of.count, '1 print waits for the printer', '{count} prints wait for the printer', {
                    count: count(cause.of.count),
                  })
                : tn(
                    cause.of.count,
                    '1 delivery goes wrong and is tried again',
                    '{count} deliveries go wrong and are tried again',
                    { count: count(cause.of.count) },
                  )}
            </>
          }
          reason={message}
          when={next_at === null ? t('Being tried now') : t('Next try: {when}', { when: <Ago at={next_at} /> })}
          open={cause.of.count === 1 ? placeOf(kind, task_id) : `${is_group ? '/groups' : '/tasks'}?status=Running`}
          action={{
            icon: RotateCw,
            word: t('Try now'),
            many: { deed: 'try-now', kind, filter: { ...found, ...scope } },
          }}
          act={act}
        />
      )
    }
    case 'given-up': {
      const { receiver, first_created_at, last_error, last_at } = cause.of
      const filter = { status: 'GivenUp', receiver, created_after: first_created_at, ...scope }
      return (
        <Line
          icon={BellOff}
          tone="text-fail"
          title={
            <>
              <Name>{receiver}</Name>{' '}
              {tn(cause.of.count, '1 callback was given up', '{count} callbacks were given up', {
                count: count(cause.of.count),
              })}
            </>
          }
          reason={last_error}
          when={t('Last: {when}', { when: <Ago at={last_at} /> })}
          aside={() => putAside(cause)}
          open="/callbacks?status=GivenUp"
          action={{
            icon: Send,
            word: t('Resend {count}', { count: count(cause.of.count) }),
            many: { deed: 'resend', kind: 'task', filter },
          }}
          act={act}
        />
      )
    }
    case 'receiver': {
      const { receiver, waiting, last_error, next_at } = cause.of
      return (
        <Line
          icon={Hourglass}
          tone="text-warn"
          title={
            <>
              <Name>{receiver}</Name>{' '}
              {tn(waiting, '1 callback is tried again', '{count} callbacks are tried again', { count: count(waiting) })}
            </>
          }
          reason={last_error}
          when={next_at === null ? t('Being tried now') : t('Next try: {when}', { when: <Ago at={next_at} /> })}
          open="/callbacks?status=Waiting"
          action={{
            icon: Send,
            word: t('Try now'),
            many: { deed: 'resend', kind: 'task', filter: { status: 'Waiting', receiver, ...scope } },
          }}
          act={act}
        />
      )
    }
    case 'no-worker':
      return (
        <Line
          icon={Cpu}
          tone="text-fail"
          title={t('No worker is running')}
          reason={
            cause.of.waiting === 0
              ? t('What comes in will wait until one starts.')
              : tn(cause.of.waiting, '1 task waits until one starts.', '{count} tasks wait until one starts.', {
                  count: count(cause.of.waiting),
                })
          }
        />
      )
    case 'gone-worker':
    case 'silent-worker':
      return (
        <Line
          icon={Cpu}
          tone="text-fail"
          title={t('{host} The worker on this machine is gone', { host: <Name>{cause.of.host}</Name> })}
          reason={t('Another one takes its work over. If it was taken away on purpose, put this aside.')}
          {...(cause.sort === 'gone-worker' ? { aside: () => putAside(cause) } : {})}
          when={t('Last seen: {when}', { when: <Ago at={cause.of.seen_at} /> })}
        />
      )
    case 'lacking-worker':
      return (
        <Line
          icon={Cpu}
          tone="text-warn"
          title={t('{host} The worker on this machine lacks something', { host: <Name>{cause.of.host}</Name> })}
          reason={cause.of.off.join('. ')}
        />
      )
    case 'failing':
      return (
        <Line
          icon={TriangleAlert}
          tone="text-fail"
          title={t('{adapter} fails for every file: five times in a row, in the same way', {
            adapter: <Name>{cause.of.adapter_name}</Name>,
          })}
          reason={cause.of.message}
          when={t('Last: {when}', { when: <Ago at={cause.of.last_at} /> })}
          aside={() => putAside(cause)}
          open={`/tasks?${new URLSearchParams({ status: 'Failed', error_code: cause.of.error_code })}`}
        />
      )
    case 'stalled':
      return (
        <Line
          icon={TriangleAlert}
          tone="text-fail"
          title={stalledWords[cause.of]}
          reason={t('Something waits for more than a minute, and none has ended lately.')}
          open="/tasks?status=Waiting"
        />
      )
    case 'shared': {
      const { kind, profiles } = cause.of
      return (
        <Line
          icon={Users}
          tone="text-warn"
          title={t('Guests share one value of {kind}', { kind: <Name>{kind}</Name> })}
          reason={t('{values}: each is found by its own spelling alone. Merge the guests, or change one.', {
            values: profiles.map(({ value }) => value).join(', '),
          })}
          open={`/profiles/${profiles[0]?.profile_id}`}
        />
      )
    }
    case 'disk':
      return (
        <Line
          icon={HardDrive}
          tone="text-fail"
          title={t('The disk is nearly full')}
          reason={t('{free} of {total} are free. Without room nothing can be taken in.', {
            free: bytes(cause.of.free_bytes),
            total: bytes(cause.of.total_bytes),
          })}
        />
      )
  }
}

const stalledWords = {
  picture: t('Pictures stand still'),
  video: t('Videos stand still'),
  transfer: t('Deliveries stand still'),
} as const

const placeOf = (kind: Kind, id: string): string => `/${kind === 'task' ? 'tasks' : 'groups'}/${id}`

function Failed({ number, kind, configuration }: { number: number; kind: Kind; configuration: string }) {
  const words =
    kind === 'task'
      ? tn(number, '1 task failed', '{count} tasks failed', { count: count(number) })
      : tn(number, '1 task group failed', '{count} task groups failed', { count: count(number) })
  return (
    <>
      <Name>{configuration}</Name> {words}
    </>
  )
}

const Name = ({ children }: { children: string }) => (
  <bdi dir="auto" className="font-semibold [overflow-wrap:anywhere]">
    {children}
  </bdi>
)

interface LineProps {
  icon: LucideIcon
  tone: string
  title: ReactNode
  reason?: string | null
  when?: ReactNode
  open?: string
  aside?: () => void
  action?: { icon: LucideIcon; word: string; many: Many }
  act?: (many: Many) => void
}

function Line({ icon: Icon, tone, title, reason, when, open, aside, action, act }: LineProps) {
  const may = useMay('tasks')
  return (
    <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
      <Icon aria-hidden className={`mt-0.5 size-5 shrink-0 ${tone}`} />
      <div className="min-w-0 flex-1 basis-52">
        <p className={tone}>{title}</p>
        {reason && (
          <p dir="auto" className="text-[14px] text-soft [overflow-wrap:anywhere]">
            {reason}
          </p>
        )}
        {when && <p className="text-[13px] text-soft">{when}</p>}
      </div>
      <div className="ml-auto flex items-center gap-1.5">
        {aside && (
          <IconButton
            icon={EyeOff}
            label={t('Put aside until it happens again')}
            onClick={aside}
            className="max-sm:size-11"
          />
        )}
        {open && <LinkButton to={open}>{t('Open')}</LinkButton>}
        {action && act && may && (
          <Button look="primary" icon={action.icon} onClick={() => act(action.many)}>
            {action.word}
          </Button>
        )}
      </div>
    </div>
  )
}
