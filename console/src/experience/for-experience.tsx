// A shared configuration belongs to no experience: whoever tries it says for which one.
import { type ReactNode, useState } from 'react'
import { useExperiences } from '../api/configurations.ts'
import { useEvent } from '../api/event.ts'
import { SelectField } from '../parts/field.tsx'
import { t } from '../words/t.ts'
import { ExperienceOptions } from './picker.tsx'

interface ForExperience {
  /** Empty until one is chosen; undefined: the configuration has its own. */
  triedFor: string | undefined
  picker: ReactNode
}

/** The chosen event of the console, or the only one there is, until another is picked. */
export function useForExperience(isShared: boolean): ForExperience {
  const event = useEvent()
  const [picked, setPicked] = useState<string | null>(null)
  const open = (useExperiences().data ?? []).filter(({ archived }) => !archived)
  if (!isShared) return { triedFor: undefined, picker: null }
  const chosen = picked ?? event ?? (open.length === 1 ? open[0]!.experience_id : '')
  const triedFor = open.some(({ experience_id }) => experience_id === chosen) ? chosen : ''
  const picker = (
    <SelectField
      label={t('Try it for')}
      help={t('A test of the connection and a task need an experience.')}
      dir="auto"
      value={triedFor}
      onChange={({ target }) => setPicked(target.value)}
    >
      <option value="">{t('Choose one')}</option>
      <ExperienceOptions experiences={open} />
    </SelectField>
  )
  return { triedFor, picker }
}
