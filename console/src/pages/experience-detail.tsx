// One experience: its settings, its webhook secret, and the check before the doors open.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Eye, EyeOff, Plus, RotateCw } from 'lucide-react'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { at, send } from '../api/client.ts'
import type { Experience } from '../api/shapes.ts'
import { Archived } from '../experience/archived.tsx'
import { DoorsCheck } from '../experience/doors-check.tsx'
import { GuestPageSettings } from '../experience/guest-page.tsx'
import { Numbers } from '../experience/numbers.tsx'
import { Settings } from '../experience/settings.tsx'
import { readExperience } from '../experience/use-settings.ts'
import { Button, IconButton, LinkButton } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { Card, CardTitle, Page } from '../parts/page.tsx'
import { announce } from '../parts/toast.tsx'
import { t } from '../words/t.ts'

export function ExperienceDetail() {
  const id = useSearchParams()[0].get('id') ?? ''
  const experience = useQuery({
    queryKey: ['experience', 'one', id],
    queryFn: ({ signal }) => readExperience(id, signal),
    refetchOnWindowFocus: false,
  })
  const over = (
    <Link to="/experiences" className="hover:text-ink hover:underline">
      {t('Experiences')}
    </Link>
  )
  if (experience.isPending)
    return (
      <Page title={id} over={over}>
        <Loading />
      </Page>
    )
  if (!experience.data)
    return (
      <Page title={id} over={over}>
        <ErrorNote error={experience.error} retry={() => void experience.refetch()} />
      </Page>
    )
  const { value } = experience.data
  return (
    <Page
      title={value.name ?? id}
      over={over}
      about={
        <span className="flex flex-wrap items-center gap-3">
          {value.name && <span className="font-mono text-[13px]">{id}</span>}
          {value.archived && <Archived />}
        </span>
      }
      actions={
        <LinkButton
          look="primary"
          icon={Plus}
          to={`/configurations/new?kind=chain&experience=${encodeURIComponent(id)}`}
        >
          {t('New chain')}
        </LinkButton>
      }
    >
      <Numbers id={id} />
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1.4fr)_minmax(320px,1fr)]">
        <DoorsCheck experienceId={id} />
        <div className="space-y-5">
          <Settings key={`settings ${id}`} read={experience.data} />
          <GuestPageSettings key={`pages ${id}`} read={experience.data} />
          <Secret experience={value} />
        </div>
      </div>
    </Page>
  )
}

function Secret({ experience }: { experience: Experience }) {
  const client = useQueryClient()
  const [shown, setShown] = useState(false)
  const [asking, setAsking] = useState(false)
  const secret = experience.webhook_secret
  if (!secret) return null
  return (
    <Card>
      <CardTitle>{t('Webhook secret')}</CardTitle>
      <div className="space-y-3 p-4">
        <p className="text-soft">{t('Receivers verify the signature of every callback with it.')}</p>
        <p className="flex items-center gap-2 rounded-lg border border-line bg-well py-1 pr-1 pl-3">
          <span className="min-w-0 flex-1 truncate font-mono text-[13px]">
            {shown ? secret : 'whsec_••••••••••••••••'}
          </span>
          <IconButton
            icon={shown ? EyeOff : Eye}
            label={shown ? t('Hide the secret') : t('Show the secret')}
            onClick={() => setShown(!shown)}
          />
        </p>
        <div className="flex flex-wrap gap-2">
          <CopyButton text={secret}>{t('Copy')}</CopyButton>
          <Button icon={RotateCw} onClick={() => setAsking(true)}>
            {t('Rotate|secret')}
          </Button>
        </div>
      </div>
      <Confirm
        title={t('Rotate the webhook secret?')}
        about={t(
          'A new secret signs from now on. For 24 hours the old one signs too, so receivers have time to change.',
        )}
        action={t('Rotate it')}
        open={asking}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await send('POST', at('experience', experience.experience_id, 'rotate-secret'))
          await client.invalidateQueries({ queryKey: ['experience'] })
          announce(t('There is a new secret. The old one signs along for 24 hours.'))
        }}
      />
    </Card>
  )
}
