// The settings of an experience: what it is called, when and where it is, how much it may run, how long files stay.

import { Archive, ArchiveRestore } from 'lucide-react'
import { type FormEvent, useId } from 'react'
import { fieldMessage } from '../api/client.ts'
import { useMay } from '../api/session.ts'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/field.tsx'
import { Card, CardTitle } from '../parts/page.tsx'
import { t } from '../words/t.ts'
import { SaveRow } from './save-row.tsx'
import { type ReadExperience, useSettings } from './use-settings.ts'
import { allZones, isoIn, localIn, ownZone } from './zoned.ts'

const asNumber = (text: string): number | null => (text.trim() === '' ? null : Number(text))

export function Settings({ read }: { read: ReadExperience }) {
  const { value: experience } = read
  const may = useMay('write')
  const zones = useId()
  const start = {
    name: experience.name ?? '',
    zone: experience.time_zone ?? '',
    starts: localIn(experience.starts_at, experience.time_zone ?? ownZone()),
    ends: localIn(experience.ends_at, experience.time_zone ?? ownZone()),
    running: String(experience.max_running ?? ''),
    days: String(experience.retention_days ?? ''),
    archived: experience.archived,
  }
  const form = useSettings(read, start, ({ name, zone, starts, ends, running, days, archived }) => {
    const there = allZones().includes(zone) ? zone : ownZone()
    const all = {
      name: name.trim() || null,
      time_zone: zone || null,
      starts_at: isoIn(starts, there),
      ends_at: isoIn(ends, there),
      max_running: asNumber(running),
      retention_days: asNumber(days),
      archived,
    }
    // A time that was not touched keeps its seconds.
    const isTouched = (key: 'starts' | 'ends', now: string) => now !== start[key] || zone !== start.zone
    return {
      ...(all.name !== experience.name && { name: all.name }),
      ...(all.time_zone !== experience.time_zone && { time_zone: all.time_zone }),
      ...(isTouched('starts', starts) && { starts_at: all.starts_at }),
      ...(isTouched('ends', ends) && { ends_at: all.ends_at }),
      ...(all.max_running !== experience.max_running && { max_running: all.max_running }),
      ...(all.retention_days !== experience.retention_days && { retention_days: all.retention_days }),
      ...(all.archived !== experience.archived && { archived: all.archived }),
    }
  })
  const { settings, change, error } = form
  const submit = (event: FormEvent) => {
    event.preventDefault()
    form.submit()
  }
  return (
    <Card>
      <CardTitle>{t('Settings')}</CardTitle>
      <form onSubmit={submit} className="space-y-4 p-4">
        <TextField
          label={t('Name')}
          dir="auto"
          value={settings.name}
          onChange={event => change({ name: event.target.value })}
          error={fieldMessage(error, 'name')}
          help={t('As people call it.')}
        />
        <TextField
          label={t('Time zone')}
          list={zones}
          placeholder={ownZone()}
          value={settings.zone}
          onChange={event => change({ zone: event.target.value })}
          error={fieldMessage(error, 'time_zone')}
          help={t('Where it takes place.')}
        />
        <datalist id={zones}>
          {allZones().map(zone => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label={t('Begins')}
            type="datetime-local"
            value={settings.starts}
            onChange={event => change({ starts: event.target.value })}
            error={fieldMessage(error, 'starts_at')}
          />
          <TextField
            label={t('Ends')}
            type="datetime-local"
            value={settings.ends}
            onChange={event => change({ ends: event.target.value })}
            error={fieldMessage(error, 'ends_at')}
          />
        </div>
        <TextField
          label={t('Tasks at once')}
          type="number"
          min={1}
          value={settings.running}
          onChange={event => change({ running: event.target.value })}
          error={fieldMessage(error, 'max_running')}
          help={t('Empty: as many as the workers take.')}
        />
        <TextField
          label={t('Days files are kept')}
          type="number"
          min={0}
          value={settings.days}
          onChange={event => change({ days: event.target.value })}
          error={fieldMessage(error, 'retention_days')}
          help={t('Counted from the end of a task. Empty: the service’s own setting.')}
        />
        <div className="flex flex-wrap items-center gap-3">
          <Button
            icon={settings.archived ? ArchiveRestore : Archive}
            disabled={!may}
            onClick={() => change({ archived: !settings.archived })}
          >
            {settings.archived ? t('Take it out of the archive') : t('Archive it')}
          </Button>
          <span className="text-[14px] text-soft">
            {settings.archived === experience.archived
              ? t('An archived one is over: it is left out of choices, and nothing of it is deleted.')
              : t('Save to make it so.')}
          </span>
        </div>
        <SaveRow {...form} />
      </form>
    </Card>
  )
}
