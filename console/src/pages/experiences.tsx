// All experiences at a glance.

import { Plus, Ticket } from 'lucide-react'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { useConfigurations, useExperiences } from '../api/configurations.ts'
import { useMay } from '../api/session.ts'
import type { Experience } from '../api/shapes.ts'
import { Archived } from '../experience/archived.tsx'
import { useRecent } from '../experience/numbers.tsx'
import { MakeExperience } from '../experience/picker.tsx'
import { Button, LinkButton } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Thumb } from '../parts/media.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Ago } from '../parts/time.tsx'
import { experiencePage } from '../places.ts'
import { outputThumbnail } from '../task/outputs.ts'
import { wordLocale } from '../words/language.ts'
import { t, tn } from '../words/t.ts'

const configurationCount = (count: number) => tn(count, '1 configuration', '{count} configurations', { count })

export function Experiences() {
  const experiences = useExperiences()
  const configurations = useConfigurations()
  const may = useMay('write')
  const navigate = useNavigate()
  const [making, setMaking] = useState(false)
  const [withArchived, setWithArchived] = useState(false)
  const archived = experiences.data?.filter(one => one.archived).length ?? 0
  const shown = experiences.data?.filter(one => withArchived || !one.archived)
  const numberOf = (id: string) => configurations.data?.filter(({ experience_id }) => experience_id === id).length ?? 0
  return (
    <Page
      title={t('Experiences')}
      about={t('Each event or attraction, with its settings, its guests’ pages and its own webhook secret.')}
      actions={
        may && (
          <Button look="primary" icon={Plus} onClick={() => setMaking(true)}>
            {t('New experience')}
          </Button>
        )
      }
    >
      {experiences.isPending && (
        <Card>
          <Loading />
        </Card>
      )}
      {experiences.isError && <ErrorNote error={experiences.error} retry={() => void experiences.refetch()} />}
      {experiences.data?.length === 0 && (
        <Card>
          <Empty
            icon={Ticket}
            title={t('No experiences yet')}
            actions={
              <>
                {may && (
                  <Button look="primary" icon={Plus} onClick={() => setMaking(true)}>
                    {t('Make the first one')}
                  </Button>
                )}
                <LinkButton to="/start">{t('Set up the sample')}</LinkButton>
              </>
            }
          >
            {t('Configurations, assets and guests belong to an experience.')}
          </Empty>
        </Card>
      )}
      <ul className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
        {shown?.map(experience => (
          <li key={experience.experience_id}>
            <Link
              to={experiencePage(experience.experience_id)}
              className="flex h-full gap-4 rounded-card border border-line bg-card p-4 shadow-card hover:border-edge"
            >
              <Newest id={experience.experience_id} />
              <span className="min-w-0">
                <span dir="auto" className="block font-display text-[18px] font-semibold [overflow-wrap:anywhere]">
                  {experience.name ?? experience.experience_id}
                </span>
                {experience.name && <span className="edgeprint block normal-case!">{experience.experience_id}</span>}
                <span className="mt-1 block text-[14px] text-soft">
                  {configurationCount(numberOf(experience.experience_id))}
                </span>
                <When experience={experience} />
                {experience.archived && <Archived />}
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {archived > 0 && (
        <Button
          look="quiet"
          className="mt-4"
          aria-pressed={withArchived}
          onClick={() => setWithArchived(!withArchived)}
        >
          {withArchived
            ? t('Hide archived ones')
            : tn(archived, 'Show 1 archived one', 'Show {count} archived ones', { count: archived })}
        </Button>
      )}
      <Dialog title={t('New experience')} open={making} onClose={() => setMaking(false)}>
        <MakeExperience onMade={id => void navigate(experiencePage(id))} />
      </Dialog>
    </Page>
  )
}

function Newest({ id }: { id: string }) {
  const newest = useRecent().data?.find(({ experience_id }) => experience_id === id)
  return newest ? (
    <Thumb src={outputThumbnail('task', newest)} size={64} />
  ) : (
    <span className="grid size-16 shrink-0 place-items-center rounded-lg border border-line bg-well">
      <Ticket aria-hidden className="size-6" strokeWidth={1.6} />
    </span>
  )
}

const date = new Intl.DateTimeFormat(wordLocale, { day: 'numeric', month: 'short', year: 'numeric' })

function When({ experience: { starts_at, ends_at, created_at } }: { experience: Experience }) {
  const [from, to] = [starts_at && date.format(new Date(starts_at)), ends_at && date.format(new Date(ends_at))]
  return (
    <span className="block text-[14px] text-soft">
      {from && to ? (
        from === to ? (
          from
        ) : (
          t('{from} to {to}', { from, to })
        )
      ) : from ? (
        t('From {from}', { from })
      ) : to ? (
        t('Until {to}', { to })
      ) : (
        <Ago at={created_at} />
      )}
    </span>
  )
}
