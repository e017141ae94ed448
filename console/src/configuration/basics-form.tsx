// What every configuration has: its name, its experience, a webhook, and what is recorded for the guest.

import { type ReactNode, useState } from 'react'
import type { Configuration, Experience, FieldError } from '../api/shapes.ts'
import { ExperiencePicker } from '../experience/picker.tsx'
import { messageAt } from '../form/field-errors.ts'
import { CheckField, TextField } from '../parts/field.tsx'
import { Card, CardTitle } from '../parts/page.tsx'
import { t } from '../words/t.ts'

interface Props {
  draft: Configuration
  isNew: boolean
  errors: FieldError[]
  experiences: Experience[]
  /** Of a shared one: for which experience it is tried. */
  forExperience: ReactNode
  onChange(draft: Configuration): void
}

const namesIn = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map(name => name.trim())
      .filter(Boolean),
  ),
]

/** Without an experience of its own it is recorded in that of the task. */
function inExperience(activity: Activity, experience_id: string): Activity {
  const { experience_id: _before, ...rest } = activity
  return experience_id === '' ? rest : { ...rest, experience_id }
}

type Activity = NonNullable<Configuration['activity_config']>

export function BasicsForm({ draft, isNew, errors, experiences, forExperience, onChange }: Props) {
  const error = (name: string) => errors.find(({ field }) => field === name)?.message
  const activity = draft.activity_config ?? null
  const isShared = draft.experience_id === null
  const [listed, setListed] = useState(draft.overridable?.join(', ') ?? '')
  return (
    <Card>
      <CardTitle>{t('Basics')}</CardTitle>
      <div className="space-y-4 p-4">
        <TextField
          label={t('Name')}
          dir="auto"
          required
          disabled={!isNew}
          value={draft.configuration_name}
          onChange={event => onChange({ ...draft, configuration_name: event.target.value })}
          error={error('configuration_name')}
          help={
            isNew
              ? t('Tasks, chains and groups use it by this name; it cannot be changed later.')
              : t('The name cannot be changed: chains and requests use it.')
          }
        />
        {isShared ? (
          <>
            <p className="text-soft">{t('Every experience may use it.')}</p>
            {forExperience}
          </>
        ) : (
          <ExperiencePicker
            experiences={experiences}
            value={draft.experience_id ?? ''}
            error={error('experience_id')}
            onChange={experience_id => onChange({ ...draft, experience_id })}
          />
        )}
        {!draft.call_chain && (
          <CheckField
            label={t('Shared by all experiences')}
            help={t(
              'Extras change only what is listed below. Files are delivered under the names of experience and task.',
            )}
            checked={isShared}
            onChange={event => {
              const { overridable: _listed, ...rest } = draft
              onChange(event.target.checked ? { ...rest, experience_id: null } : { ...rest, experience_id: '' })
            }}
          />
        )}
        {isShared && (
          <TextField
            label={t('Options that extras may change')}
            placeholder="width, quality"
            value={listed}
            onChange={event => {
              setListed(event.target.value)
              onChange({ ...draft, overridable: namesIn(event.target.value) })
            }}
            error={errors.find(({ field }) => field.startsWith('overridable'))?.message}
            help={t('Keys of options, with commas between them. Empty: none.')}
          />
        )}
        <TextField
          label={t('Webhook URL')}
          type="url"
          inputMode="url"
          placeholder="https://…"
          value={draft.webhook_url ?? ''}
          onChange={event => onChange({ ...draft, webhook_url: event.target.value || null })}
          error={error('webhook_url')}
          help={
            draft.call_chain
              ? t('Receives the callback; the webhooks of its members are ignored.')
              : t('Receives the callback. Inside a chain the chain’s own counts.')
          }
        />
        {!draft.call_chain && (
          <>
            <CheckField
              label={t('Record an activity for the guest')}
              help={t('After it succeeded, for every profile that the extras name.')}
              checked={activity !== null}
              onChange={event =>
                onChange({
                  ...draft,
                  activity_config: event.target.checked
                    ? {
                        ...(draft.experience_id === null ? {} : { experience_id: draft.experience_id }),
                        activity_type: 'content-generation',
                        payload: { object_id: '' },
                      }
                    : null,
                })
              }
            />
            {activity && (
              <div className="grid gap-4 border-l-2 border-line pl-4 sm:grid-cols-2">
                <TextField
                  label={t('Type')}
                  value={activity.activity_type}
                  onChange={event =>
                    onChange({ ...draft, activity_config: { ...activity, activity_type: event.target.value } })
                  }
                  error={messageAt(errors, 'activity_config.activity_type')}
                />
                <TextField
                  label={t('Object id')}
                  value={String(activity.payload.object_id ?? '')}
                  onChange={event =>
                    onChange({
                      ...draft,
                      activity_config: { ...activity, payload: { ...activity.payload, object_id: event.target.value } },
                    })
                  }
                  error={messageAt(errors, 'activity_config.payload.object_id')}
                  help={t('What the activity is about.')}
                />
                <TextField
                  label={t('In the experience')}
                  value={activity.experience_id ?? ''}
                  onChange={event =>
                    onChange({ ...draft, activity_config: inExperience(activity, event.target.value) })
                  }
                  error={messageAt(errors, 'activity_config.experience_id')}
                />
              </div>
            )}
          </>
        )}
      </div>
    </Card>
  )
}
