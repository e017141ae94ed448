// The experience is picked from those that are there, or made on the spot; never typed into being by a slip.

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { at, fieldMessage, send } from '../api/client.ts'
import type { Experience } from '../api/shapes.ts'
import { Button } from '../parts/button.tsx'
import { SelectField, TextField } from '../parts/field.tsx'
import { ErrorNote } from '../parts/notes.tsx'
import { t } from '../words/t.ts'

interface Props {
  experiences: readonly Experience[]
  value: string
  error?: string | undefined
  isDisabled?: boolean
  help?: string
  onChange(id: string): void
}

export function ExperiencePicker({ experiences, value, error, isDisabled = false, help, onChange }: Props) {
  const [making, setMaking] = useState(false)
  const open = experiences.filter(({ archived, experience_id }) => !archived || experience_id === value)
  const isKnown = open.some(({ experience_id }) => experience_id === value)
  if (making)
    return (
      <MakeExperience
        onMade={id => {
          setMaking(false)
          onChange(id)
        }}
        onCancel={() => setMaking(false)}
      />
    )
  return (
    <div className="flex flex-wrap items-start gap-2">
      <div className="min-w-48 flex-1">
        <SelectField
          label={t('Experience')}
          required
          dir="auto"
          disabled={isDisabled}
          value={value}
          onChange={event => onChange(event.target.value)}
          error={error}
          help={help}
        >
          <option value="">{t('Choose one')}</option>
          {!isKnown && value !== '' && <option>{value}</option>}
          <ExperienceOptions experiences={open} />
        </SelectField>
      </div>
      {!isDisabled && (
        <Button className="mt-6.5" icon={Plus} onClick={() => setMaking(true)}>
          {t('Make a new one')}
        </Button>
      )}
    </div>
  )
}

export const ExperienceOptions = ({ experiences }: { experiences: readonly Experience[] }) =>
  experiences.map(({ experience_id, name }) => (
    <option key={experience_id} value={experience_id}>
      {name ? `${name} (${experience_id})` : experience_id}
    </option>
  ))

/** `Sommerfest 2027!` is `sommerfest-2027`. */
export const idFrom = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-/, '')
    .replace(/-$/, '')
    .slice(0, 100)

export function MakeExperience({
  onMade,
  onCancel,
}: {
  onMade(id: string, experience: Experience): void
  onCancel?: () => void
}) {
  const client = useQueryClient()
  const [name, setName] = useState('')
  const [typed, setTyped] = useState<string | null>(null)
  const id = typed ?? idFrom(name)
  const make = useMutation({
    mutationFn: () =>
      send<Experience>('POST', at('experience'), {
        experience_id: id,
        name: name.trim() || null,
        time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone || null,
      }),
    onSuccess: async made => {
      await client.invalidateQueries({ queryKey: ['experience'] })
      onMade(made.experience_id, made)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (id !== '' && !make.isPending) make.mutate()
  }
  return (
    <form onSubmit={submit} className="space-y-3">
      <TextField
        label={t('Name of the experience')}
        dir="auto"
        maxLength={200}
        placeholder="Summer festival"
        value={name}
        onChange={event => setName(event.target.value)}
        error={fieldMessage(make.error, 'name')}
      />
      <TextField
        label={t('Id')}
        value={id}
        spellCheck={false}
        onChange={event => setTyped(event.target.value)}
        error={fieldMessage(make.error, 'experience_id')}
        help={t('Requests name the experience by it. It cannot be changed later.')}
      />
      {make.isError && <ErrorNote error={make.error} />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" icon={Plus} busy={make.isPending} disabled={id === ''}>
          {t('Make it')}
        </Button>
        {onCancel && (
          <Button disabled={make.isPending} onClick={onCancel}>
            {t('Back')}
          </Button>
        )}
      </div>
    </form>
  )
}
