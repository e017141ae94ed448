// The facts of a task: its file, its guest, who sent it and when, and the ids for support.

import { useQueries, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { at, get } from '../api/client.ts'
import { useActivities } from '../api/people.ts'
import { useMay } from '../api/session.ts'
import type { Experience, Profile, Token } from '../api/shapes.ts'
import { type Either, isGroup } from '../api/tasks.ts'
import { guestOf } from '../format/guest.ts'
import { facts } from '../format/size.ts'
import { ownZone, stamped, stampedIn } from '../format/time.ts'
import { CopyId } from '../parts/copy.tsx'
import { JsonCode } from '../parts/json.tsx'
import { Card, CardTitle } from '../parts/page.tsx'
import { Ago, Lasted } from '../parts/time.tsx'
import { nameOf } from '../people/name.ts'
import { experiencePage } from '../places.ts'
import { t } from '../words/t.ts'

/** More are named on the card of the activities. */
const MOST_GUESTS = 3

export function FactsCard({ task }: { task: Either }) {
  const ids: [string, string][] = [
    [t('Task'), task.task_id],
    ...(isGroup(task) ? [] : ([[t('Chain'), task.chain_id]] as [string, string][])),
    [t('Flow'), task.flow_id],
  ]
  const inputs = (isGroup(task) ? task.tasks : [task]).flatMap(({ input }) => (input ? [input] : []))
  const experience = useQuery({
    queryKey: ['experience', 'one', task.experience_id],
    queryFn: ({ signal }) => get<Experience>(at('experience', task.experience_id), signal),
    staleTime: 60_000,
  })
  return (
    <Card>
      <CardTitle>{t('Facts')}</CardTitle>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-5 gap-y-2 p-4">
        {[...new Map(inputs.map(input => [input.sha256, input])).values()].map(input => (
          <Fact key={input.sha256} name={t('File')}>
            <span dir="auto" className="block font-semibold">
              {input.file_name ?? t('Sent without a name')}
            </span>
            <span className="text-soft">{facts(input)}</span>
          </Fact>
        ))}
        <Guests task={task} />
        <Sender tokenId={task.token_id} />
        <Fact name={t('Experience')}>
          <Link className="underline underline-offset-3" to={experiencePage(task.experience_id)} dir="auto">
            {experience.data?.name || task.experience_id}
          </Link>
        </Fact>
        <Moment name={t('Made')} at={task.created_at} zone={experience.data?.time_zone ?? null} />
        {task.ended_at && <Moment name={t('Ended')} at={task.ended_at} zone={experience.data?.time_zone ?? null} />}
        <Fact name={t('Waited')}>
          <Lasted from={task.created_at} to={task.started_at} />
        </Fact>
        {ids.map(([name, id]) => (
          <Fact key={name} name={name}>
            <CopyId id={id} />
          </Fact>
        ))}
      </dl>
      {!isGroup(task) && Object.keys(task.extras).length > 0 && (
        <div className="p-4 pt-0">
          <JsonCode label={t('Extras')} value={task.extras} />
        </div>
      )}
    </Card>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="contents">
    <dt className="text-soft">{name}</dt>
    <dd className="[overflow-wrap:anywhere]">{children}</dd>
  </div>
)

/** In the viewer's zone, and in the event's where that is another. */
function Moment({ name, at: moment, zone }: { name: string; at: string; zone: string | null }) {
  return (
    <Fact name={name}>
      <span className="block">{stamped(moment)}</span>
      {zone && zone !== ownZone() && (
        <span className="block text-soft">{t('At the event: {when}', { when: stampedIn(moment, zone) })}</span>
      )}
      <Ago at={moment} className="text-soft" />
    </Fact>
  )
}

/** By name where the service has found them; else what the request named. */
function Guests({ task }: { task: Either }) {
  const activities = useActivities({ task_id: task.task_id })
  const owners = [...new Set(activities.data?.pages.flatMap(page => page.items.map(({ owner_id }) => owner_id)))]
  const profiles = useQueries({
    queries: owners.slice(0, MOST_GUESTS).map(id => ({
      queryKey: ['profile', 'one', id],
      queryFn: ({ signal }: { signal: AbortSignal }) => get<Profile>(at('profile', id), signal),
      staleTime: 60_000,
    })),
  })
  const named = guestOf(isGroup(task) ? task.tasks[0]?.extras : task.extras)
  if (owners.length === 0)
    return named === null ? null : (
      <Fact name={t('Guest')}>
        <span dir="auto">{named}</span>
      </Fact>
    )
  return (
    <Fact name={owners.length === 1 ? t('Guest') : t('Guests')}>
      {owners.slice(0, MOST_GUESTS).map((id, index) => {
        const profile = profiles[index]?.data
        return (
          <Link key={id} to={`/profiles/${id}`} className="block font-semibold underline underline-offset-3" dir="auto">
            {profile ? nameOf(profile) : id}
          </Link>
        )
      })}
      {owners.length > MOST_GUESTS && (
        <span className="text-soft">{t('and {count} more', { count: owners.length - MOST_GUESTS })}</span>
      )}
    </Fact>
  )
}

/** Only administrators may read the names of tokens. */
function Sender({ tokenId }: { tokenId: string | null }) {
  const admin = useMay('admin')
  const token = useQuery({
    queryKey: ['token', 'one', tokenId],
    queryFn: ({ signal }) => get<Token>(at('token', tokenId ?? ''), signal),
    enabled: admin && tokenId !== null,
    staleTime: 60_000,
  })
  if (tokenId === null) return null
  return (
    <Fact name={t('Sent by')}>
      {token.data ? (
        <span dir="auto" className="font-semibold">
          {token.data.name}
        </span>
      ) : (
        <CopyId id={tokenId} short />
      )}
    </Fact>
  )
}
