// The guests: found by what they carry, or made by hand.

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Plus, Search, UserRound, UsersRound } from 'lucide-react'
import { type FormEvent, useDeferredValue, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { at, fieldMessage, send } from '../api/client.ts'
import { useEvent } from '../api/event.ts'
import { type ProfileFilters, useProfiles } from '../api/people.ts'
import { useMay } from '../api/session.ts'
import type { Profile } from '../api/shapes.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { control, TextField } from '../parts/field.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Ago } from '../parts/time.tsx'
import { nameOf } from '../people/name.ts'
import { t } from '../words/t.ts'

const lookups: [keyof ProfileFilters, string][] = [
  ['email', t('Email')],
  ['qr_code', t('QR code')],
  ['rfid', 'RFID'],
]

export function Profiles() {
  const may = useMay('write')
  const [kind, setKind] = useState<keyof ProfileFilters>('email')
  const [text, setText] = useState('')
  const wanted = useDeferredValue(text.trim())
  const event = useEvent()
  const list = useProfiles({ ...(event ? { experience_id: event } : {}), ...(wanted ? { [kind]: wanted } : {}) })
  const items = list.data?.pages.flatMap(page => page.items) ?? []
  const [making, setMaking] = useState(false)
  return (
    <Page
      title={t('Profiles')}
      about={t('Guests, by email, QR code or RFID. Each keeps the list of what was made for them.')}
      actions={
        may && (
          <Button look="primary" icon={Plus} onClick={() => setMaking(true)}>
            {t('New profile')}
          </Button>
        )
      }
    >
      <div className="mb-3 flex gap-2">
        <select
          aria-label={t('Look up by')}
          value={kind}
          onChange={event => setKind(event.target.value as keyof ProfileFilters)}
          className={`${control} w-auto!`}
        >
          {lookups.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        <div className="relative min-w-0 flex-1 sm:max-w-md">
          <Search aria-hidden className="pointer-events-none absolute top-3 left-3 size-4 text-soft" />
          <input
            type="search"
            aria-label={t('Value, given whole')}
            placeholder={t('The whole of it')}
            value={text}
            onChange={event => setText(event.target.value)}
            className={`${control} pl-9`}
          />
        </div>
      </div>
      <Card>
        {list.isPending && <Loading rows={6} />}
        {list.isError && (
          <div className="p-4">
            <ErrorNote error={list.error} retry={() => void list.refetch()} />
          </div>
        )}
        {list.isSuccess && items.length === 0 && (
          <Empty icon={UsersRound} title={wanted ? t('Nobody goes by that') : t('No profiles yet')}>
            {wanted
              ? t('The value must be given whole; an email in any case.')
              : t(
                  'A profile lets the service record what was made for whom. What was made before a profile existed is added when it appears.',
                )}
          </Empty>
        )}
        <ul>
          {items.map(profile => (
            <li key={profile.profile_id} className="border-b border-line last:border-0">
              <Link to={`/profiles/${profile.profile_id}`} className="flex items-center gap-4 px-4 py-3 hover:bg-well">
                <span className="grid size-10 shrink-0 place-items-center rounded-full bg-wait-bg text-wait">
                  <UserRound aria-hidden className="size-5" />
                </span>
                <span className="min-w-0 flex-1">
                  <span dir="auto" className="block truncate font-semibold">
                    {nameOf(profile)}
                  </span>
                  <span dir="auto" className="block truncate text-[13.5px] text-soft">
                    {[...profile.email, ...profile.qr_code, ...profile.rfid].join(' · ') || profile.profile_id}
                  </span>
                </span>
                <span className="hidden text-[13.5px] text-soft md:block">{profile.experience_id}</span>
                <Ago at={profile.created_at} className="text-[13.5px] whitespace-nowrap text-soft" />
              </Link>
            </li>
          ))}
        </ul>
        {list.hasNextPage && (
          <div className="p-4 text-center">
            <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
              {t('Show more')}
            </Button>
          </div>
        )}
      </Card>
      {making && <NewProfile onClose={() => setMaking(false)} />}
    </Page>
  )
}

const listed = (text: string): string[] => text.split(/[\s,;]+/).filter(Boolean)

function NewProfile({ onClose }: { onClose(): void }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const [values, setValues] = useState({ email: '', qr_code: '', rfid: '', experience_id: '', name: '' })
  const make = useMutation({
    mutationFn: () =>
      send<Profile>('POST', at('profile'), {
        email: listed(values.email),
        qr_code: listed(values.qr_code),
        rfid: listed(values.rfid),
        ...(values.experience_id ? { experience_id: values.experience_id } : {}),
        ...(values.name ? { attributes: { name: values.name } } : {}),
      }),
    onSuccess: async profile => {
      await client.invalidateQueries({ queryKey: ['profile'] })
      void navigate(`/profiles/${profile.profile_id}`)
    },
  })
  const field = (name: keyof typeof values) => ({
    value: values[name],
    onChange: (event: { target: { value: string } }) => setValues({ ...values, [name]: event.target.value }),
    error: fieldMessage(make.error, name, `${name}[0]`, `${name}.0`),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    make.mutate()
  }
  return (
    <Dialog
      title={t('New profile')}
      about={t('At least one of the three, so that tasks find it. Several values are separated by commas.')}
      open
      onClose={onClose}
    >
      <form onSubmit={submit} className="space-y-4">
        <TextField label={t('Email')} inputMode="email" autoComplete="off" {...field('email')} />
        <TextField label={t('QR code')} {...field('qr_code')} />
        <TextField label="RFID" {...field('rfid')} />
        <TextField
          label={t('Name')}
          help={t('Kept as the attribute “name”; texts may use it as {{profile.name}}.')}
          {...field('name')}
        />
        <TextField
          label={t('Experience')}
          help={t('Empty: belongs to none, and only unrestricted tokens see it.')}
          {...field('experience_id')}
        />
        {make.isError && <ErrorNote error={make.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('Back')}</Button>
          <Button type="submit" look="primary" busy={make.isPending}>
            {t('Make the profile')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
