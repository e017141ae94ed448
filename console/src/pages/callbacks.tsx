// Every callback: where it went, what was answered, and sending one or many again.

import { Bell, ChevronRight, Send } from 'lucide-react'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { put, useChangeAddress } from '../address.ts'
import { type CallbackFilters, useCallbacks } from '../api/callbacks.ts'
import { useExperiences } from '../api/configurations.ts'
import { useEvent } from '../api/event.ts'
import { looksLikeId } from '../api/search.ts'
import { useMay } from '../api/session.ts'
import type { Callback } from '../api/shapes.ts'
import { ConfirmMany } from '../many/confirm-many.tsx'
import { Button } from '../parts/button.tsx'
import { control } from '../parts/field.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Status } from '../parts/status.tsx'
import { Ago } from '../parts/time.tsx'
import { taskPage } from '../places.ts'
import { CallbackView } from '../task/callbacks-card.tsx'
import { t, tn } from '../words/t.ts'

export function Callbacks() {
  const [params] = useSearchParams()
  const change = useChangeAddress()
  const event = useEvent()
  const filters: CallbackFilters = {
    ...(event === null ? {} : { experience_id: event }),
    ...Object.fromEntries(
      ['status', 'task_id', 'experience_id'].flatMap(name => (params.get(name) ? [[name, params.get(name)]] : [])),
    ),
  }
  const list = useCallbacks(filters)
  const items = list.data?.pages.flatMap(page => page.items) ?? []
  const [asking, setAsking] = useState(false)
  const may = useMay('tasks')
  const experiences = useExperiences()
  const filter = (name: string, value: string) => change(params => put(params, name, value))

  return (
    <Page
      title={t('Callbacks')}
      about={t('What was posted to your webhooks, each attempt and its answer.')}
      actions={
        may && (
          <Button icon={Send} disabled={items.length === 0} onClick={() => setAsking(true)}>
            {filters.status ? t('Resend these') : t('Resend those given up')}
          </Button>
        )
      }
    >
      <div className="mb-3 grid grid-cols-2 gap-2 sm:grid-cols-3 max-sm:[&>:last-child]:col-span-2">
        <select
          aria-label={t('Status')}
          value={filters.status ?? ''}
          onChange={event => filter('status', event.target.value)}
          className={control}
        >
          <option value="">{t('Status: all')}</option>
          <option value="Waiting">{t('Waiting')}</option>
          <option value="Delivered">{t('Delivered')}</option>
          <option value="GivenUp">{t('Given up')}</option>
        </select>
        <select
          aria-label={t('Experience')}
          value={filters.experience_id ?? ''}
          onChange={event => filter('experience_id', event.target.value)}
          className={control}
        >
          <option value="">{t('Experience: all')}</option>
          {experiences.data?.map(({ experience_id }) => (
            <option key={experience_id}>{experience_id}</option>
          ))}
        </select>
        <TaskIdFilter value={filters.task_id ?? ''} onChange={value => filter('task_id', value)} />
      </div>
      <Card>
        {list.isPending && <Loading rows={6} />}
        {list.isError && (
          <div className="p-4">
            <ErrorNote error={list.error} retry={() => void list.refetch()} />
          </div>
        )}
        {list.isSuccess && items.length === 0 && (
          <Empty icon={Bell} title={t('No callbacks here')}>
            {t('A callback is posted when a task ends and its configuration (or its task group) has a webhook URL.')}
          </Empty>
        )}
        <ul>
          {items.map(callback => (
            <CallbackRow key={callback.callback_id} callback={callback} />
          ))}
        </ul>
        {list.hasNextPage && (
          <div className="p-4 text-center">
            <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
              {t('Show older ones')}
            </Button>
          </div>
        )}
      </Card>
      <ConfirmMany
        many={asking ? { deed: 'resend', kind: 'task', filter: { status: 'GivenUp', ...filters } } : null}
        onClose={() => setAsking(false)}
      />
    </Page>
  )
}

/** Only a whole id is a filter; half of one is still being typed. */
function TaskIdFilter({ value, onChange }: { value: string; onChange(value: string): void }) {
  const [text, setText] = useState(value)
  const half = text !== '' && !looksLikeId(text)
  return (
    <div>
      <input
        aria-label={t('Task id')}
        aria-describedby={half ? 'half-id' : undefined}
        placeholder={t('Task id')}
        value={text}
        onChange={event => {
          const next = event.target.value.trim()
          setText(next)
          onChange(looksLikeId(next) ? next : '')
        }}
        className={control}
      />
      {half && (
        <p id="half-id" className="mt-1 text-[13.5px] text-soft">
          {t('Give the whole id; until then it is no filter.')}
        </p>
      )}
    </div>
  )
}

function CallbackRow({ callback }: { callback: Callback }) {
  const last = callback.attempts?.at(-1)
  return (
    <li className="border-b border-line last:border-0">
      <details className="group">
        <summary className="flex list-none items-center gap-3 px-4 py-3 hover:bg-well">
          <ChevronRight aria-hidden className="size-4 shrink-0 text-soft transition-transform group-open:rotate-90" />
          <span className="min-w-0 flex-1">
            <span className="flex min-w-0 flex-wrap gap-x-2">
              <bdi className="max-w-full truncate font-semibold">
                {callback.configurations.join(' → ') || t('A task whose record is gone')}
              </bdi>
              {callback.guest && <bdi className="max-w-full truncate text-soft">{callback.guest}</bdi>}
            </span>
            <span className="block truncate font-mono text-[12.5px] text-soft">{callback.url}</span>
            <span className="block truncate text-[13px] text-soft">
              {tn(callback.attempts?.length ?? 0, '1 attempt', '{count} attempts')}
              {last && ` · ${t('last answer: {answer}', { answer: last.status_code ?? last.error ?? t('none') })}`}
            </span>
          </span>
          <Ago at={callback.created_at} className="hidden text-[13.5px] whitespace-nowrap text-soft sm:block" />
          <Status status={callback.status} small />
        </summary>
        <div className="space-y-3 border-t border-line bg-well/60 p-4">
          <Link to={taskPage(callback.task_id)} className="text-[14px] underline underline-offset-3">
            {t('Open the task')}
          </Link>
          <CallbackView callback={callback} />
        </div>
      </details>
    </li>
  )
}
