// One experience: its settings, its webhook secret, and the check before the doors open.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Eye, EyeOff, RotateCw, Save } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { at, fieldMessage, get, send } from '../api/client.ts'
import { useMay } from '../api/session.ts'
import type { Experience } from '../api/shapes.ts'
import { DoorsCheck } from '../experience/doors-check.tsx'
import { Button, IconButton } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { TextField } from '../parts/field.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { Card, CardTitle, Page } from '../parts/page.tsx'
import { announce } from '../parts/toast.tsx'

export function ExperienceDetail() {
  const id = useSearchParams()[0].get('id') ?? ''
  const experience = useQuery({
    queryKey: ['experience', 'one', id],
    queryFn: ({ signal }) => get<Experience>(at('experience', id), signal),
    refetchOnWindowFocus: false,
  })
  const over = (
    <Link to="/experiences" className="hover:text-ink hover:underline">
      Experiences
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
  return (
    <Page
      title={experience.data.name ?? id}
      over={over}
      about={experience.data.name ? <span className="font-mono text-[13px]">{id}</span> : undefined}
    >
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1.4fr)_minmax(320px,1fr)]">
        <DoorsCheck experienceId={id} />
        <div className="space-y-5">
          <Settings key={experience.data.updated_at} experience={experience.data} />
          <Secret experience={experience.data} />
        </div>
      </div>
    </Page>
  )
}

const asNumber = (text: string): number | null => (text.trim() === '' ? null : Number(text))

function Settings({ experience }: { experience: Experience }) {
  const client = useQueryClient()
  const may = useMay('write')
  const [name, setName] = useState(experience.name ?? '')
  const [running, setRunning] = useState(String(experience.max_running ?? ''))
  const [days, setDays] = useState(String(experience.retention_days ?? ''))
  const save = useMutation({
    mutationFn: () =>
      send<Experience>('PATCH', at('experience', experience.experience_id), {
        name: name.trim() || null,
        max_running: asNumber(running),
        retention_days: asNumber(days),
      }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['experience'] })
      announce('The settings are saved.')
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <Card>
      <CardTitle>Settings</CardTitle>
      <form onSubmit={submit} className="space-y-4 p-4">
        <TextField
          label="Name"
          value={name}
          onChange={event => setName(event.target.value)}
          error={fieldMessage(save.error, 'name')}
          help="As people call it."
        />
        <TextField
          label="Tasks at once"
          type="number"
          min={1}
          value={running}
          onChange={event => setRunning(event.target.value)}
          error={fieldMessage(save.error, 'max_running')}
          help="Empty: as many as the workers take."
        />
        <TextField
          label="Days files are kept"
          type="number"
          min={0}
          value={days}
          onChange={event => setDays(event.target.value)}
          error={fieldMessage(save.error, 'retention_days')}
          help="Counted from the end of a task. Empty: the service’s own setting."
        />
        {save.isError && <ErrorNote error={save.error} />}
        <Button type="submit" look="primary" icon={Save} busy={save.isPending} disabled={!may}>
          Save
        </Button>
      </form>
    </Card>
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
      <CardTitle>Webhook secret</CardTitle>
      <div className="space-y-3 p-4">
        <p className="text-soft">Receivers verify the signature of every callback with it.</p>
        <p className="flex items-center gap-2 rounded-lg border border-line bg-well py-1 pr-1 pl-3">
          <span className="min-w-0 flex-1 truncate font-mono text-[13px]">
            {shown ? secret : 'whsec_••••••••••••••••'}
          </span>
          <IconButton
            icon={shown ? EyeOff : Eye}
            label={shown ? 'Hide the secret' : 'Show the secret'}
            onClick={() => setShown(!shown)}
          />
        </p>
        <div className="flex flex-wrap gap-2">
          <CopyButton text={secret}>Copy</CopyButton>
          <Button icon={RotateCw} onClick={() => setAsking(true)}>
            Rotate
          </Button>
        </div>
      </div>
      <Confirm
        title="Rotate the webhook secret?"
        about="A new secret signs from now on. For 24 hours the old one signs too, so receivers have time to change."
        action="Rotate it"
        open={asking}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await send('POST', at('experience', experience.experience_id, 'rotate-secret'))
          await client.invalidateQueries({ queryKey: ['experience'] })
          announce('There is a new secret. The old one signs along for 24 hours.')
        }}
      />
    </Card>
  )
}
