// The filters above the task list; each is part of the address, so a view can be kept and sent.
import { useConfigurations, useExperiences } from '../api/configurations.ts'
import type { Kind, TaskFilters } from '../api/tasks.ts'
import { control } from '../parts/field.tsx'
import { chooseTime, chosenTime, spans, timeFilters } from './time-filter.ts'

const statuses = ['Waiting', 'Running', 'Succeeded', 'Failed', 'Cancelled']
const plain = ['status', 'configuration', 'experience_id'] as const

export const filtersOf = (params: URLSearchParams): TaskFilters => ({
  ...Object.fromEntries(plain.flatMap(name => (params.get(name) ? [[name, params.get(name)]] : []))),
  ...timeFilters(params),
})

interface Props {
  kind: Kind
  params: URLSearchParams
  onChange(params: URLSearchParams): void
}

export function TaskFilterFields({ kind, params, onChange }: Props) {
  const configurations = useConfigurations()
  const experiences = useExperiences()
  const set = (name: string, value: string) => {
    const next = new URLSearchParams(params)
    if (value) next.set(name, value)
    else next.delete(name)
    onChange(next)
  }
  const time = chosenTime(params)
  return (
    <>
      <Choice label="Status" value={params.get('status')} options={statuses} onChange={value => set('status', value)} />
      {kind === 'task' && (
        <Choice
          label="Configuration"
          value={params.get('configuration')}
          options={configurations.data?.map(({ configuration_name }) => configuration_name) ?? []}
          onChange={value => set('configuration', value)}
        />
      )}
      <Choice
        label="Experience"
        value={params.get('experience_id')}
        options={experiences.data?.map(({ experience_id }) => experience_id) ?? []}
        onChange={value => set('experience_id', value)}
      />
      <select
        aria-label="Time"
        value={time}
        onChange={event => onChange(chooseTime(params, event.target.value))}
        className={control}
      >
        <option value="">Time: all</option>
        {Object.entries(spans).map(([span, { word }]) => (
          <option key={span} value={span}>
            {word}
          </option>
        ))}
        <option value="between">From … until …</option>
      </select>
      {time === 'between' && (
        <div className="col-span-full flex flex-wrap gap-x-4 gap-y-2">
          <Moment label="From" value={params.get('from')} onChange={value => set('from', value)} />
          <Moment label="Until" value={params.get('until')} onChange={value => set('until', value)} />
        </div>
      )}
    </>
  )
}

function Choice({
  label,
  value,
  options,
  onChange,
}: {
  label: string
  value: string | null
  options: string[]
  onChange(value: string): void
}) {
  // One from the address that is not (or not yet) in the list is shown all the same.
  const all = value && !options.includes(value) ? [value, ...options] : options
  return (
    <select aria-label={label} value={value ?? ''} onChange={event => onChange(event.target.value)} className={control}>
      <option value="">{label}: all</option>
      {all.map(option => (
        <option key={option}>{option}</option>
      ))}
    </select>
  )
}

function Moment({ label, value, onChange }: { label: string; value: string | null; onChange(value: string): void }) {
  return (
    <label className="flex flex-1 basis-64 items-center gap-2 text-[14px] font-semibold">
      <span className="w-10 shrink-0">{label}</span>
      <input
        type="datetime-local"
        value={value ?? ''}
        onChange={event => onChange(event.target.value)}
        className={control}
      />
    </label>
  )
}
