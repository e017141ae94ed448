// The filters above the task list; each is part of the address, so a view can be kept and sent.

import { X } from 'lucide-react'
import { put } from '../address.ts'
import { useConfigurations } from '../api/configurations.ts'
import { isOfEvent } from '../api/event.ts'
import type { Kind, TaskFilters } from '../api/tasks.ts'
import { control } from '../parts/field.tsx'
import { statusLook } from '../parts/status.tsx'
import { t } from '../words/t.ts'
import { chooseTime, chosenTime, spans, timeFilters } from './time-filter.ts'

const statuses = ['Waiting', 'Running', 'Succeeded', 'Failed', 'Cancelled']
const plain = ['status', 'configuration', 'error_code', 'profile_id'] as const

/** The parameters that are filters: others change how the list looks, not what is in it. */
export function filterParams(params: URLSearchParams): string {
  const own = new URLSearchParams()
  for (const name of [...plain, 'experience', 'experience_id', 'last', 'from', 'until']) {
    const value = params.get(name)
    if (value) own.set(name, value)
  }
  return own.toString()
}

export function filtersOf(params: URLSearchParams): TaskFilters {
  const experience_id = params.get('experience_id') ?? params.get('experience')
  return {
    ...Object.fromEntries(plain.flatMap(name => (params.get(name) ? [[name, params.get(name)]] : []))),
    ...(experience_id ? { experience_id } : {}),
    ...timeFilters(params),
  }
}

interface Props {
  kind: Kind
  params: URLSearchParams
  onChange(change: (params: URLSearchParams) => void): void
}

export function TaskFilterFields({ kind, params, onChange }: Props) {
  const configurations = useConfigurations()
  const set = (name: string, value: string) => onChange(params => put(params, name, value))
  const time = chosenTime(params)
  const event = params.get('experience')
  const offered = configurations.data?.filter(one => isOfEvent(event, one))
  return (
    <>
      <Choice
        label={t('Status')}
        value={params.get('status')}
        options={statuses}
        word={status => statusLook(status).word}
        onChange={value => set('status', value)}
      />
      <Choice
        label={kind === 'task' ? t('Configuration') : t('With')}
        value={params.get('configuration')}
        options={offered?.map(({ configuration_name }) => configuration_name) ?? []}
        onChange={value => set('configuration', value)}
      />
      <select
        aria-label={t('Time')}
        value={time}
        onChange={event => onChange(params => chooseTime(params, event.target.value))}
        className={control}
      >
        <option value="">{t('Time: all')}</option>
        {Object.entries(spans).map(([span, { word }]) => (
          <option key={span} value={span}>
            {word}
          </option>
        ))}
        <option value="between">{t('From … until …')}</option>
      </select>
      {time === 'between' && (
        <fieldset
          aria-label={t('Between two moments')}
          className="col-span-full grid gap-2 rounded-lg border border-line bg-card p-3 sm:grid-cols-2"
        >
          <Moment label={t('From')} value={params.get('from')} onChange={value => set('from', value)} />
          <Moment label={t('Until')} value={params.get('until')} onChange={value => set('until', value)} />
        </fieldset>
      )}
      {['error_code', 'profile_id', 'experience_id'].map(name => {
        const value = params.get(name)
        return value ? (
          <button
            key={name}
            type="button"
            onClick={() => set(name, '')}
            className="col-span-full flex min-h-9 w-fit max-w-full items-center gap-2 rounded-full border border-edge bg-card px-3 text-[13.5px] font-semibold"
          >
            <span className="min-w-0 truncate">{chipWords[name]?.(value)}</span>
            <X aria-hidden className="size-3.5 shrink-0" />
            <span className="sr-only">{t('Take this filter away')}</span>
          </button>
        ) : null
      })}
    </>
  )
}

const chipWords: Record<string, (value: string) => string> = {
  error_code: value => t('Error: {value}', { value }),
  profile_id: () => t('Of one guest'),
  experience_id: value => t('Experience: {value}', { value }),
}

function Choice({
  label,
  value,
  options,
  word = option => option,
  onChange,
}: {
  label: string
  value: string | null
  options: string[]
  word?: (option: string) => string
  onChange(value: string): void
}) {
  // One from the address that is not (or not yet) in the list is shown all the same.
  const all = value && !options.includes(value) ? [value, ...options] : options
  return (
    <select aria-label={label} value={value ?? ''} onChange={event => onChange(event.target.value)} className={control}>
      <option value="">{t('{label}: all', { label })}</option>
      {all.map(option => (
        <option key={option} value={option}>
          {word(option)}
        </option>
      ))}
    </select>
  )
}

function Moment({ label, value, onChange }: { label: string; value: string | null; onChange(value: string): void }) {
  return (
    <label className="flex min-w-0 items-center gap-2 text-[14px] font-semibold">
      <span className="w-10 shrink-0">{label}</span>
      <input
        type="datetime-local"
        value={value ?? ''}
        onChange={event => onChange(event.target.value)}
        className={`${control} min-w-0`}
      />
    </label>
  )
}
