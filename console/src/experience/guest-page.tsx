// The pages that guests of an experience get: whether there are any, what they say and what guests may do there.

import type { FormEvent } from 'react'
import { fieldMessage } from '../api/client.ts'
import { useAssets } from '../api/configurations.ts'
import type { Experience } from '../api/shapes.ts'
import { AssetPicker, ShelfContext } from '../form/asset-picker.tsx'
import { Colour, Switch } from '../form/controls.tsx'
import { FormField } from '../form/form-field.tsx'
import { AreaField, SelectField, TextField } from '../parts/field.tsx'
import { Card, CardTitle } from '../parts/page.tsx'
import { t } from '../words/t.ts'
import { SaveRow } from './save-row.tsx'
import { type ReadExperience, useSettings } from './use-settings.ts'

type GuestPage = Experience['guest_page']

const switches = [
  ['download', t('Guests can save the file')],
  ['share', t('Guests can share it')],
  ['erase', t('Guests can take it back')],
] as const

const languages: Record<string, string> = {
  en: t('English'),
  de: t('German'),
  fr: t('French'),
  es: t('Spanish'),
  ar: t('Arabic'),
}

export function GuestPageSettings({ read }: { read: ReadExperience }) {
  const { guest_page: stored, experience_id } = read.value
  const assets = useAssets()
  const form = useSettings(read, stored, now => ({
    guest_page: Object.fromEntries(
      Object.entries(now).filter(([key, value]) => value !== stored[key as keyof GuestPage]),
    ),
  }))
  const { settings, change, error } = form
  const said = (name: keyof GuestPage) => fieldMessage(error, `guest_page.${name}`)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    form.submit()
  }
  return (
    <ShelfContext value={{ assets: assets.data ?? [], experienceId: experience_id }}>
      <Card>
        <CardTitle>{t('Pages for guests')}</CardTitle>
        <form onSubmit={submit} className="space-y-4 p-4">
          <FormField
            label={t('Guests have pages')}
            help={t('Every task then gets a link, for a QR code or a message.')}
            error={said('enabled')}
            isInline
          >
            {ids => (
              <Switch
                ids={ids}
                schema={{}}
                value={settings.enabled}
                onChange={value => change({ enabled: value === true })}
              />
            )}
          </FormField>
          {settings.enabled && (
            <>
              <TextField
                label={t('Title')}
                dir="auto"
                value={settings.title ?? ''}
                onChange={event => change({ title: event.target.value || null })}
                error={said('title')}
                help={t('Empty: the name of the experience.')}
              />
              <AreaField
                label={t('Text')}
                dir="auto"
                rows={2}
                value={settings.text ?? ''}
                onChange={event => change({ text: event.target.value || null })}
                error={said('text')}
              />
              <FormField label={t('Logo')} error={said('logo_file_name')}>
                {ids => (
                  <AssetPicker
                    ids={ids}
                    label={t('Logo')}
                    accepts={['image']}
                    isList={false}
                    value={settings.logo_file_name}
                    onChange={value => change({ logo_file_name: typeof value === 'string' ? value : null })}
                  />
                )}
              </FormField>
              <FormField label={t('Colour of buttons')} error={said('color')}>
                {ids => (
                  <Colour
                    ids={ids}
                    schema={{ default: '#15171c' }}
                    value={settings.color ?? undefined}
                    isSolid
                    onChange={value => change({ color: typeof value === 'string' ? value : null })}
                  />
                )}
              </FormField>
              <SelectField
                label={t('Language')}
                value={settings.language}
                onChange={event => change({ language: event.target.value as GuestPage['language'] })}
                error={said('language')}
              >
                {[...new Set([settings.language, ...Object.keys(languages)])].map(code => (
                  <option key={code} value={code}>
                    {languages[code] ?? code}
                  </option>
                ))}
              </SelectField>
              <TextField
                label={t('Days a page is there')}
                type="number"
                min={1}
                value={settings.expires_days ?? ''}
                onChange={event =>
                  change({ expires_days: event.target.value === '' ? null : event.target.valueAsNumber })
                }
                error={said('expires_days')}
                help={t('Empty: as long as the files are kept.')}
              />
              {switches.map(([name, words]) => (
                <FormField key={name} label={words} error={said(name)} isInline>
                  {ids => (
                    <Switch
                      ids={ids}
                      schema={{}}
                      value={settings[name]}
                      onChange={value => change({ [name]: value === true })}
                    />
                  )}
                </FormField>
              ))}
              <fieldset className="space-y-4 border-t border-line pt-4">
                <legend className="float-left mb-2 w-full font-display text-[16px] font-semibold">{t('Wall')}</legend>
                <div className="clear-both" />
                <FormField label={t('Somebody approves what the wall shows')} error={said('approval')} isInline>
                  {ids => (
                    <Switch
                      ids={ids}
                      schema={{}}
                      value={settings.approval === 'required'}
                      onChange={value => change({ approval: value ? 'required' : 'none' })}
                    />
                  )}
                </FormField>
                <FormField
                  label={t('Only who agreed is on the wall')}
                  help={t('Off: everybody who did not refuse. A refusal always counts.')}
                  error={said('wall_consent')}
                  isInline
                >
                  {ids => (
                    <Switch
                      ids={ids}
                      schema={{}}
                      value={settings.wall_consent === 'required'}
                      onChange={value => change({ wall_consent: value ? 'required' : 'not_refused' })}
                    />
                  )}
                </FormField>
                <TextField
                  label={t('Address of the wall’s QR code')}
                  type="url"
                  dir="ltr"
                  placeholder="https://…"
                  value={settings.wall_url ?? ''}
                  onChange={event => change({ wall_url: event.target.value || null })}
                  error={said('wall_url')}
                  help={t('Where guests go who want a picture too. Empty: no code.')}
                />
                <TextField
                  label={t('Words beside it')}
                  dir="auto"
                  maxLength={200}
                  value={settings.wall_text ?? ''}
                  onChange={event => change({ wall_text: event.target.value || null })}
                  error={said('wall_text')}
                />
              </fieldset>
            </>
          )}
          <SaveRow {...form} />
        </form>
      </Card>
    </ShelfContext>
  )
}
