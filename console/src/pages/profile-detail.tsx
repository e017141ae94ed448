// One guest: how they are found, and a timeline of their keepsakes.
import { useQueryClient } from '@tanstack/react-query'
import { Gift, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Link, useNavigate, useParams } from 'react-router'
import { at, query, send } from '../api/client.ts'
import { useActivities, useProfile } from '../api/people.ts'
import { useMay } from '../api/session.ts'
import type { Activity, Profile } from '../api/shapes.ts'
import { dayOf } from '../format/time.ts'
import { Button } from '../parts/button.tsx'
import { CopyId } from '../parts/copy.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { CheckField } from '../parts/field.tsx'
import { JsonCode } from '../parts/json.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { Card, CardTitle, Page } from '../parts/page.tsx'
import { Ago } from '../parts/time.tsx'
import { announce } from '../parts/toast.tsx'
import { Keepsake } from '../people/keepsake.tsx'
import { nameOf } from '../people/name.ts'

export function ProfileDetail() {
  const id = useParams().id ?? ''
  const profile = useProfile(id)
  const may = useMay('write')
  const over = (
    <Link to="/profiles" className="hover:text-ink hover:underline">
      Profiles
    </Link>
  )
  if (profile.isPending)
    return (
      <Page title="Profile" over={over}>
        <Loading />
      </Page>
    )
  if (!profile.data)
    return (
      <Page title="Profile" over={over}>
        <ErrorNote error={profile.error} retry={() => void profile.refetch()} />
      </Page>
    )
  return (
    <Page title={nameOf(profile.data)} over={over} actions={may && <Erase profile={profile.data} />}>
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_320px]">
        <Timeline id={id} />
        <Facts profile={profile.data} />
      </div>
    </Page>
  )
}

function Timeline({ id }: { id: string }) {
  const activities = useActivities({ owner_id: id }, true)
  const items = activities.data?.pages.flatMap(page => page.items) ?? []
  const days = Map.groupBy(items, ({ created_at }: Activity) => dayOf(created_at))
  return (
    <Card>
      <CardTitle>Keepsakes</CardTitle>
      {activities.isPending && <Loading />}
      {activities.isError && (
        <div className="p-4">
          <ErrorNote error={activities.error} />
        </div>
      )}
      {activities.isSuccess && items.length === 0 && (
        <Empty icon={Gift} title="Nothing yet">
          What is made for this guest appears here, as it happens.
        </Empty>
      )}
      <div className="space-y-6 p-4">
        {[...days].map(([day, list]) => (
          <section key={day} className="border-l-2 border-line pl-4">
            <h3 className="edgeprint mb-3">
              <span className="marked -ml-[23px] mr-3 inline-block size-3 translate-y-0.5" aria-hidden />
              {day}
            </h3>
            <div className="flex flex-wrap gap-x-6 gap-y-7">
              {list.map(activity => (
                <Keepsake key={activity.activity_id} activity={activity} />
              ))}
            </div>
          </section>
        ))}
      </div>
      {activities.hasNextPage && (
        <div className="p-4 text-center">
          <Button busy={activities.isFetchingNextPage} onClick={() => void activities.fetchNextPage()}>
            Show older ones
          </Button>
        </div>
      )}
    </Card>
  )
}

function Facts({ profile }: { profile: Profile }) {
  const rows: [string, string[]][] = [
    ['Email', profile.email],
    ['QR code', profile.qr_code],
    ['RFID', profile.rfid],
  ]
  return (
    <Card>
      <CardTitle>Found by</CardTitle>
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
          <dt className="edgeprint">Profile</dt>
          <dd>
            <CopyId id={profile.profile_id} />
          </dd>
        </div>
        <div>
          <dt className="edgeprint">Since</dt>
          <dd>
            <Ago at={profile.created_at} />
          </dd>
        </div>
      </dl>
      {Object.keys(profile.attributes).length > 0 && (
        <div className="p-4 pt-0">
          <JsonCode label="Attributes" value={profile.attributes} />
        </div>
      )}
    </Card>
  )
}

function Erase({ profile }: { profile: Profile }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const [asking, setAsking] = useState(false)
  const [retract, setRetract] = useState(false)
  return (
    <>
      <Button look="danger" icon={Trash2} onClick={() => setAsking(true)}>
        Erase this person
      </Button>
      <Confirm
        title={`Erase ${nameOf(profile)}?`}
        about={
          <>
            The profile and its activities go for good.
            <span className="mt-3 block">
              <CheckField
                label="Also take back what was delivered"
                help="Asks every destination to delete the files it was given."
                checked={retract}
                onChange={event => setRetract(event.target.checked)}
              />
            </span>
          </>
        }
        action="Erase"
        open={asking}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await send('DELETE', query(at('profile', profile.profile_id), { media: retract ? 'retract' : null }))
          announce('The person is erased.')
          await navigate('/profiles')
          await client.invalidateQueries({ queryKey: ['profile', 'list'] })
        }}
      />
    </>
  )
}
