// One guest at the desk: keepsakes to hand out, what they agreed to, what is known of them, what happened.

import { useQuery } from '@tanstack/react-query'
import { Gift, Pencil } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { at } from '../api/client.ts'
import { useGuest, useKeepsakes } from '../api/desk.ts'
import { useActivities } from '../api/people.ts'
import { madeFor } from '../api/search.ts'
import { useMay } from '../api/session.ts'
import type { Profile } from '../api/shapes.ts'
import { type Either, type Kind, titleOf } from '../api/tasks.ts'
import { ZipButton } from '../many/zip-button.tsx'
import { Button } from '../parts/button.tsx'
import { CopyId } from '../parts/copy.tsx'
import { Thumb } from '../parts/media.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { Card, CardTitle } from '../parts/page.tsx'
import { Status } from '../parts/status.tsx'
import { Ago } from '../parts/time.tsx'
import { nameOf } from '../people/name.ts'
import { outputThumbnail } from '../task/outputs.ts'
import { t } from '../words/t.ts'
import { ConsentCard } from './consent.tsx'
import { EditGuest } from './edit.tsx'
import { EraseGuest } from './erase.tsx'
import { HandOut } from './hand-out.tsx'
import { MergeGuests } from './merge.tsx'
import { Give } from './nobodys.tsx'
import { KeepsakePrints } from './prints.tsx'

export function Guest({ id, onErased }: { id: string; onErased(erasure: string): void }) {
  const guest = useGuest(id)
  const mayChange = useMay('write')
  const [isEditing, setEditing] = useState(false)
  if (guest.isPending)
    return (
      <Card>
        <Loading />
      </Card>
    )
  if (!guest.data) return <ErrorNote error={guest.error} retry={() => void guest.refetch()} />
  const { value: profile, tag } = guest.data
  return (
    <>
      <div className="mb-4 flex flex-wrap items-end justify-between gap-3">
        <div className="min-w-0">
          <h2 dir="auto" className="text-[24px] [overflow-wrap:anywhere]">
            {nameOf(profile)}
          </h2>
          <p className="text-soft">
            <bdi>{profile.experience_id ?? t('Guest of all experiences')}</bdi> ·{' '}
            {t('since {when}', { when: <Ago at={profile.created_at} /> })}
          </p>
        </div>
        {mayChange && (
          <div className="flex flex-wrap gap-2">
            <Button icon={Pencil} onClick={() => setEditing(true)}>
              {t('Change')}
            </Button>
            <MergeGuests profile={profile} />
            <EraseGuest profile={profile} onErased={onErased} />
          </div>
        )}
      </div>
      <div className="grid grid-cols-1 items-start gap-5 lg:grid-cols-[minmax(0,1fr)_320px]">
        <div className="grid min-w-0 grid-cols-1 gap-5">
          <Keepsakes profile={profile} />
          <Tasks profile={profile} />
          <Activities id={profile.profile_id} />
        </div>
        <div className="grid min-w-0 grid-cols-1 gap-5">
          <ConsentCard profile={profile} mayChange={mayChange} />
          <Facts profile={profile} />
        </div>
      </div>
      {isEditing && <EditGuest profile={profile} tag={tag} onClose={() => setEditing(false)} />}
    </>
  )
}

function Keepsakes({ profile }: { profile: Profile }) {
  const list = useKeepsakes({ profile_id: profile.profile_id })
  const items = list.data?.pages.flatMap(page => page.items) ?? []
  return (
    <Card>
      <CardTitle aside={<Give profile={profile} />}>{t('Keepsakes')}</CardTitle>
      {list.isPending && <Loading />}
      {list.isError && (
        <div className="p-4">
          <ErrorNote error={list.error} retry={() => void list.refetch()} />
        </div>
      )}
      {list.isSuccess && items.length === 0 && (
        <Empty icon={Gift} title={t('No keepsake yet')}>
          {t('What is made for this guest appears here, where the experience has pages for guests.')}
        </Empty>
      )}
      {items.length > 0 && (
        <ul className="grid gap-4 p-4 sm:grid-cols-2">
          {items.map(keepsake => (
            <KeepsakePrints key={keepsake.keepsake_id} keepsake={keepsake}>
              <HandOut id={keepsake.keepsake_id} />
            </KeepsakePrints>
          ))}
        </ul>
      )}
      {list.hasNextPage && (
        <div className="p-4 pt-0 text-center">
          <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {t('Show older ones')}
          </Button>
        </div>
      )}
    </Card>
  )
}

/** Callbacks are sent again on the page of the task. */
function Tasks({ profile }: { profile: Profile }) {
  const made = useQuery({
    queryKey: ['desk-tasks', profile.profile_id],
    queryFn: ({ signal }) => madeFor(profile, signal),
    refetchInterval: 10_000,
  })
  const all: [Kind, Either][] = [
    ...(made.data?.tasks.map((task): [Kind, Either] => ['task', task]) ?? []),
    ...(made.data?.groups.map((group): [Kind, Either] => ['taskgroup', group]) ?? []),
  ].toSorted(([, a], [, b]) => (a.created_at < b.created_at ? 1 : -1))
  return (
    <Card>
      <CardTitle aside={all.length > 0 && <ZipButton url={at('profile', profile.profile_id, 'zip')} />}>
        {t('How it was made')}
      </CardTitle>
      {made.isPending && <Loading rows={2} />}
      {made.isError && (
        <div className="p-4">
          <ErrorNote error={made.error} />
        </div>
      )}
      {made.isSuccess && all.length === 0 && (
        <p className="p-4 text-soft">{t('Nothing that ended was made for this guest.')}</p>
      )}
      <ul>
        {all.map(([kind, task]) => (
          <li key={task.task_id} className="border-b border-line last:border-0">
            <Link
              to={`/${kind === 'task' ? 'tasks' : 'groups'}/${task.task_id}`}
              className="flex items-center gap-3 px-4 py-2.5 hover:bg-well"
            >
              <Thumb src={outputThumbnail(kind, task)} />
              <span className="min-w-0 flex-1">
                <span dir="auto" className="block truncate font-semibold">
                  {titleOf(task)}
                </span>
                <span className="block truncate text-[13.5px] text-soft">
                  <Ago at={task.created_at} /> · {t('steps, deliveries, callbacks')}
                </span>
              </span>
              <Status status={task.status} small />
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Activities({ id }: { id: string }) {
  const activities = useActivities({ owner_id: id }, true)
  const items = activities.data?.pages.flatMap(page => page.items) ?? []
  return (
    <Card>
      <CardTitle
        aside={
          <Link to={`/profiles/${id}`} className="text-[14px] underline underline-offset-3">
            {t('As a timeline')}
          </Link>
        }
      >
        {t('Activities')}
      </CardTitle>
      {activities.isPending && <Loading rows={2} />}
      {activities.isError && (
        <div className="p-4">
          <ErrorNote error={activities.error} />
        </div>
      )}
      {activities.isSuccess && items.length === 0 && <p className="p-4 text-soft">{t('None was recorded.')}</p>}
      <ul>
        {items.map(({ activity_id, activity_type, created_at, retracted_at }) => (
          <li
            key={activity_id}
            className="flex flex-wrap justify-between gap-x-4 border-b border-line px-4 py-2.5 last:border-0"
          >
            <bdi className="font-semibold [overflow-wrap:anywhere]">{activity_type}</bdi>
            <span className="text-[14px] text-soft">
              {retracted_at !== null && `${t('taken back')} · `}
              <Ago at={created_at} />
            </span>
          </li>
        ))}
      </ul>
      {activities.hasNextPage && (
        <div className="p-4 text-center">
          <Button busy={activities.isFetchingNextPage} onClick={() => void activities.fetchNextPage()}>
            {t('Show older ones')}
          </Button>
        </div>
      )}
    </Card>
  )
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

function Facts({ profile }: { profile: Profile }) {
  const rows: [string, string[]][] = [
    [t('E-mail'), profile.email],
    [t('QR code'), profile.qr_code],
    ['RFID', profile.rfid],
  ]
  return (
    <Card>
      <CardTitle>{t('Known of them')}</CardTitle>
      <dl className="space-y-3 p-4">
        {rows.map(([label, values]) => (
          <div key={label}>
            <dt className="edgeprint">{label}</dt>
            <dd>
              {values.length === 0 && <span className="text-soft">–</span>}
              {values.map(value => (
                <div key={value}>
                  <CopyId id={value} />
                </div>
              ))}
            </dd>
          </div>
        ))}
        {Object.entries(profile.attributes).map(([name, value]) => (
          <div key={name}>
            <dt dir="auto" className="edgeprint [overflow-wrap:anywhere]">
              {name}
            </dt>
            <dd dir="auto" className="[overflow-wrap:anywhere]">
              {asText(value)}
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}
