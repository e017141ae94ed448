// One guest: how they are found, and a timeline of their keepsakes.

import { useQueryClient } from '@tanstack/react-query'
import { Gift, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Link, useNavigate, useParams } from 'react-router'
import { at, query, send, sentence } from '../api/client.ts'
import { useGuest } from '../api/desk.ts'
import { useActivities, useProfile } from '../api/people.ts'
import { useMay } from '../api/session.ts'
import type { Activity, Profile } from '../api/shapes.ts'
import { EditGuest } from '../desk/edit.tsx'
import { dayOf } from '../format/time.ts'
import { HistoryCard } from '../history/history-card.tsx'
import { Button } from '../parts/button.tsx'
import { CopyId } from '../parts/copy.tsx'
import { Confirm, Dialog } from '../parts/dialog.tsx'
import { CheckField } from '../parts/field.tsx'
import { JsonCode } from '../parts/json.tsx'
import { Lightbox } from '../parts/lightbox.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { Card, CardTitle, Page } from '../parts/page.tsx'
import { Ago } from '../parts/time.tsx'
import { announce } from '../parts/toast.tsx'
import { Keepsake } from '../people/keepsake.tsx'
import { lastSight, type Made, useMade } from '../people/made.ts'
import { nameOf } from '../people/name.ts'
import { t, tn } from '../words/t.ts'

export function ProfileDetail() {
  const id = useParams().id ?? ''
  const profile = useProfile(id)
  const may = useMay('write')
  const over = (
    <Link to="/profiles" className="hover:text-ink hover:underline">
      {t('Profiles')}
    </Link>
  )
  if (profile.isPending)
    return (
      <Page title={t('Profile')} over={over}>
        <Loading />
      </Page>
    )
  if (!profile.data)
    return (
      <Page title={t('Profile')} over={over}>
        <ErrorNote error={profile.error} retry={() => void profile.refetch()} />
      </Page>
    )
  return (
    <Page
      title={nameOf(profile.data)}
      over={over}
      actions={
        may && (
          <>
            <Edit id={id} />
            <Erase profile={profile.data} />
          </>
        )
      }
    >
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_320px]">
        <Timeline id={id} />
        <div className="grid gap-5">
          <Facts profile={profile.data} />
          <HistoryCard object="profile" objectId={id} />
        </div>
      </div>
    </Page>
  )
}

function Timeline({ id }: { id: string }) {
  const activities = useActivities({ owner_id: id }, true)
  const items = activities.data?.pages.flatMap(page => page.items) ?? []
  const made = useMade(id, items[0]?.activity_id)
  const madeOf = ({ payload: { task_id } }: Activity): Made | null | undefined => {
    if (typeof task_id !== 'string') return null
    return made.data ? (made.data.get(task_id) ?? null) : undefined
  }
  const sights = [...(made.data?.values() ?? [])].flatMap(one => lastSight(one) ?? [])
  const days = Map.groupBy(items, ({ created_at }: Activity) => dayOf(created_at))
  return (
    <Card>
      <CardTitle aside={made.data && <span className="text-[14px] text-soft">{inWords(made.data.size)}</span>}>
        {t('Keepsakes')}
      </CardTitle>
      {activities.isPending && <Loading />}
      {activities.isError && (
        <div className="p-4">
          <ErrorNote error={activities.error} />
        </div>
      )}
      {activities.isSuccess && items.length === 0 && (
        <Empty icon={Gift} title={t('Nothing yet')}>
          {t('What is made for this guest appears here, as it happens.')}
        </Empty>
      )}
      <Lightbox sights={sights}>
        <div className="space-y-6 p-4">
          {[...days].map(([day, list]) => (
            <section key={day} className="border-l-2 border-line pl-4">
              <h3 className="edgeprint mb-3">
                <span className="marked -ml-[23px] mr-3 inline-block size-3 translate-y-0.5" aria-hidden />
                {day}
              </h3>
              <div className="flex flex-wrap gap-x-6 gap-y-7">
                {list.map(activity => (
                  <Keepsake
                    key={activity.activity_id}
                    activity={activity}
                    made={madeOf(activity)}
                    trouble={made.isError ? sentence(made.error) : null}
                  />
                ))}
              </div>
            </section>
          ))}
        </div>
      </Lightbox>
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

const inWords = (tasks: number): string => tn(tasks, '1 task', '{count} tasks', { count: tasks })

function Facts({ profile }: { profile: Profile }) {
  const rows: [string, string[]][] = [
    [t('Email'), profile.email],
    [t('QR code'), profile.qr_code],
    ['RFID', profile.rfid],
  ]
  return (
    <Card>
      <CardTitle>{t('Found by')}</CardTitle>
      <dl className="space-y-3 p-4">
        {rows.map(([label, values]) => (
          <div key={label}>
            <dt className="edgeprint">{label}</dt>
            <dd>
              {values.length === 0 ? (
                <span className="text-soft">–</span>
              ) : (
                values.map(value => (
                  <div key={value}>
                    <CopyId id={value} />
                  </div>
                ))
              )}
            </dd>
          </div>
        ))}
        <div>
          <dt className="edgeprint">{t('Profile')}</dt>
          <dd>
            <CopyId id={profile.profile_id} />
          </dd>
        </div>
        <div>
          <dt className="edgeprint">{t('Since')}</dt>
          <dd>
            <Ago at={profile.created_at} />
          </dd>
        </div>
      </dl>
      {Object.keys(profile.attributes).length > 0 && (
        <div className="p-4 pt-0">
          <JsonCode label={t('Attributes')} value={profile.attributes} />
        </div>
      )}
    </Card>
  )
}

/** Read with its tag when it is opened, so that a change of somebody else is not undone. */
function Edit({ id }: { id: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button icon={Pencil} onClick={() => setOpen(true)}>
        {t('Change')}
      </Button>
      {isOpen && <EditForm id={id} onClose={() => setOpen(false)} />}
    </>
  )
}

function EditForm({ id, onClose }: { id: string; onClose(): void }) {
  const client = useQueryClient()
  const guest = useGuest(id)
  // The form stands on what was read when it opened: a later read must take away neither what is typed nor the tag it goes with.
  const [opened, setOpened] = useState<typeof guest.data>(undefined)
  if (!opened && guest.data && guest.isFetchedAfterMount) setOpened(guest.data)
  const close = () => {
    void client.invalidateQueries({ queryKey: ['audit', 'profile', id] })
    onClose()
  }
  if (!opened && guest.isError)
    return (
      <Dialog title={t('Change the guest')} open onClose={onClose}>
        <ErrorNote error={guest.error} retry={() => void guest.refetch()} />
      </Dialog>
    )
  return opened ? <EditGuest profile={opened.value} tag={opened.tag} onClose={close} /> : null
}

function Erase({ profile }: { profile: Profile }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const [asking, setAsking] = useState(false)
  const [retract, setRetract] = useState(false)
  return (
    <>
      <Button look="danger" icon={Trash2} onClick={() => setAsking(true)}>
        {t('Erase this person')}
      </Button>
      <Confirm
        title={t('Erase {name}?', { name: nameOf(profile) })}
        about={
          <>
            {t('The profile and its activities go for good.')}
            <span className="mt-3 block">
              <CheckField
                label={t('Also take back what was delivered')}
                help={t('Asks every destination to delete the files it was given.')}
                checked={retract}
                onChange={event => setRetract(event.target.checked)}
              />
            </span>
          </>
        }
        action={t('Erase')}
        open={asking}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await send('DELETE', query(at('profile', profile.profile_id), { media: retract ? 'retract' : null }))
          announce(t('The person is erased.'))
          await navigate('/profiles')
          await client.invalidateQueries({ queryKey: ['profile', 'list'] })
        }}
      />
    </>
  )
}
