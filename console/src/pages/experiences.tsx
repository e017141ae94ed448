// All experiences at a glance.
import { Ticket } from 'lucide-react'
import { Link } from 'react-router'
import { useConfigurations, useExperiences } from '../api/configurations.ts'
import { LinkButton } from '../parts/button.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Ago } from '../parts/time.tsx'
import { experiencePage } from '../places.ts'

const configurationCount = (count: number) => (count === 1 ? '1 configuration' : `${count} configurations`)

export function Experiences() {
  const experiences = useExperiences()
  const configurations = useConfigurations()
  const numberOf = (id: string) => configurations.data?.filter(({ experience_id }) => experience_id === id).length ?? 0
  return (
    <Page
      title="Experiences"
      about="Each event or attraction, with its settings and its own webhook secret. One is made by itself when its id is first used."
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
            title="No experiences yet"
            actions={
              <LinkButton look="primary" to="/start">
                Set up the sample
              </LinkButton>
            }
          >
            Save a first configuration, and its experience appears here.
          </Empty>
        </Card>
      )}
      <ul className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
        {experiences.data?.map(experience => (
          <li key={experience.experience_id}>
            <Link
              to={experiencePage(experience.experience_id)}
              className="flex h-full gap-4 rounded-card border border-line bg-card p-4 shadow-card hover:border-edge"
            >
              <Ticket aria-hidden className="mt-1 size-6 shrink-0" strokeWidth={1.6} />
              <span className="min-w-0">
                <span className="block font-display text-[18px] font-semibold [overflow-wrap:anywhere]">
                  {experience.name ?? experience.experience_id}
                </span>
                {experience.name && <span className="edgeprint block normal-case!">{experience.experience_id}</span>}
                <span className="mt-1 block text-[14px] text-soft">
                  {configurationCount(numberOf(experience.experience_id))} · since <Ago at={experience.created_at} />
                </span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Page>
  )
}
