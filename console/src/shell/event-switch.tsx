// Chooses the event that all pages are about; archived ones are out of sight unless one of them is open.

import { useExperiences } from '../api/configurations.ts'
import { useChooseEvent, useEvent } from '../api/event.ts'
import { classes } from '../parts/classes.ts'
import { control } from '../parts/field.tsx'
import { t } from '../words/t.ts'

export function EventSwitch({ className }: { className?: string }) {
  const event = useEvent()
  const choose = useChooseEvent()
  const experiences = useExperiences()
  const current = experiences.data?.filter(({ archived, experience_id }) => !archived || experience_id === event) ?? []
  const known = event === null || current.some(({ experience_id }) => experience_id === event)
  return (
    <select
      aria-label={t('Event')}
      value={event ?? ''}
      onChange={({ target }) => choose(target.value === '' ? null : target.value)}
      className={classes(control, 'font-semibold', className)}
    >
      <option value="">{t('All events')}</option>
      {!known && <option value={event ?? ''} label={event ?? ''} />}
      {current.map(({ experience_id, name, archived }) => (
        <option
          key={experience_id}
          value={experience_id}
          label={archived ? t('{name} (archived)', { name: name ?? experience_id }) : (name ?? experience_id)}
        />
      ))}
    </select>
  )
}
