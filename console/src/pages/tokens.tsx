// Tokens: who may do what; a new one is shown this once.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound, Plus, Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { at, fieldMessage, send } from '../api/client.ts'
import { all, useExperiences } from '../api/configurations.ts'
import { useMay } from '../api/session.ts'
import type { NewToken as MadeToken, Token } from '../api/shapes.ts'
import { count } from '../format/size.ts'
import { exactly } from '../format/time.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { Confirm, Dialog } from '../parts/dialog.tsx'
import { CheckField, SelectField, TextField } from '../parts/field.tsx'
import { Empty, ErrorNote, Loading, Notice } from '../parts/notes.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Ago } from '../parts/time.tsx'
import { announce } from '../parts/toast.tsx'
import { t } from '../words/t.ts'

const limits = [
  ['requests_per_minute', t('Requests a minute'), (number: string) => t('{number} requests a minute', { number })],
  ['waiting_tasks', t('Waiting tasks'), (number: string) => t('{number} waiting tasks', { number })],
  ['upload_bytes_per_day', t('Bytes of files a day'), (number: string) => t('{number} bytes a day', { number })],
  ['streams', t('Event streams at once'), (number: string) => t('{number} event streams', { number })],
] as const

const limitsText = (given: NonNullable<Token['limits']>): string =>
  t('at most {limits}', {
    limits: limits
      .flatMap(([name, , inWords]) => (given[name] === undefined ? [] : [inWords(count(given[name]))]))
      .join(', '),
  })

const scopes: [string, string][] = [
  ['read', t('Look at everything')],
  ['tasks', t('Create and steer tasks')],
  ['write', t('Change configurations, assets, profiles, experiences')],
  ['admin', t('Everything, with tokens and secrets')],
]

export function Tokens() {
  const admin = useMay('admin')
  const tokens = useQuery({
    queryKey: ['token', 'all'],
    queryFn: ({ signal }) => all<Token>(at('token'), signal),
    enabled: admin,
  })
  const [making, setMaking] = useState(false)
  return (
    <Page
      title={t('Tokens')}
      about={t(
        'One for each booth, site or program, with no more rights than it needs. A deleted token is refused within seconds.',
      )}
      actions={
        admin && (
          <Button look="primary" icon={Plus} onClick={() => setMaking(true)}>
            {t('New token')}
          </Button>
        )
      }
    >
      {!admin && (
        <Notice title={t('Only for administrators')}>
          {t('Sign in with a token of the scope “admin” to see and make tokens.')}
        </Notice>
      )}
      {admin && (
        <Card>
          {tokens.isPending && <Loading />}
          {tokens.isError && (
            <div className="p-4">
              <ErrorNote error={tokens.error} retry={() => void tokens.refetch()} />
            </div>
          )}
          {tokens.data?.length === 0 && (
            <Empty
              icon={KeyRound}
              title={t('No tokens yet')}
              actions={
                <Button look="primary" icon={Plus} onClick={() => setMaking(true)}>
                  {t('New token')}
                </Button>
              }
            >
              {t('You are signed in with the operator’s own token. Give everything else one of its own.')}
            </Empty>
          )}
          <ul>
            {tokens.data?.map(token => (
              <TokenRow key={token.token_id} token={token} made={madeBy(token, tokens.data)} />
            ))}
          </ul>
        </Card>
      )}
      {making && <NewToken onClose={() => setMaking(false)} />}
    </Page>
  )
}

/** Those that a token made, and those that these made: they end with it. */
function madeBy({ token_id }: Token, all: readonly Token[]): string[] {
  return all.filter(other => other.made_by === token_id).flatMap(other => [other.name, ...madeBy(other, all)])
}

function TokenRow({ token, made }: { token: Token; made: string[] }) {
  const client = useQueryClient()
  const [asking, setAsking] = useState(false)
  const expired = token.expires_at !== null && new Date(token.expires_at) < new Date()
  return (
    <li className="flex flex-wrap items-center gap-x-5 gap-y-1 border-b border-line px-4 py-3 last:border-0">
      <KeyRound aria-hidden className="size-5 shrink-0 text-soft" />
      <div className="min-w-0 flex-1 basis-52">
        <p dir="auto" className="truncate font-semibold">
          {token.name}
        </p>
        <p className="text-[13.5px] text-soft">
          {token.scopes.join(', ')} ·{' '}
          {token.experiences === null ? t('every experience') : token.experiences.join(', ')}
        </p>
        {token.person && <p className="text-[13.5px] text-soft">{t('A person who signs in themselves.')}</p>}
        {token.limits && <p className="text-[13.5px] text-soft">{limitsText(token.limits)}</p>}
      </div>
      <p className="text-[13.5px] text-soft">
        {token.last_used_at ? t('used {when}', { when: <Ago at={token.last_used_at} /> }) : t('never used')}
        {token.expires_at && (
          <span className={expired ? 'block text-fail' : 'block'} title={exactly(token.expires_at)}>
            {expired
              ? t('expired {when}', { when: <Ago at={token.expires_at} /> })
              : t('expires {when}', { when: <Ago at={token.expires_at} /> })}
          </span>
        )}
      </p>
      <IconButton
        icon={Trash2}
        label={t('Delete the token {name}', { name: token.name })}
        onClick={() => setAsking(true)}
        className="ml-auto"
      />
      <Confirm
        title={t('Delete “{name}”?', { name: token.name })}
        about={
          made.length > 0
            ? t(
                'Whatever uses it is refused within seconds. Tokens that it made go with it: {names}. This cannot be undone.',
                { names: made.join(', ') },
              )
            : t('Whatever uses it is refused within seconds. This cannot be undone.')
        }
        action={t('Delete it')}
        open={asking}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await send('DELETE', at('token', token.token_id))
          await client.invalidateQueries({ queryKey: ['token'] })
          announce(t('The token is deleted.'))
        }}
      />
    </li>
  )
}

function NewToken({ onClose }: { onClose(): void }) {
  const client = useQueryClient()
  const experiences = useExperiences()
  const [name, setName] = useState('')
  const [scope, setScope] = useState('tasks')
  const [only, setOnly] = useState<string[]>([])
  const [expires, setExpires] = useState('')
  const [most, setMost] = useState<Record<string, string>>({})
  const given = Object.entries(most).filter(([, value]) => value !== '')
  const make = useMutation({
    mutationFn: () =>
      send<MadeToken>('POST', at('token'), {
        name,
        scopes: [scope],
        experiences: only.length > 0 ? only : null,
        expires_at: expires ? new Date(expires).toISOString() : null,
        limits: given.length > 0 ? Object.fromEntries(given.map(([name, value]) => [name, Number(value)])) : null,
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['token'] }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    make.mutate()
  }
  if (make.data?.token)
    return (
      <Dialog
        title={t('Copy it now')}
        about={t(
          'The token is shown this once. Only a fingerprint of it is kept, so keep it somewhere safe before you go on.',
        )}
        open
        stays
        onClose={onClose}
      >
        <p className="rounded-lg border border-line bg-well p-3 font-mono text-[14px] [overflow-wrap:anywhere]">
          {make.data.token}
        </p>
        <div className="mt-4 flex justify-end gap-2">
          <CopyButton text={make.data.token}>{t('Copy the token')}</CopyButton>
          <Button look="primary" onClick={onClose}>
            {t('I have kept it')}
          </Button>
        </div>
      </Dialog>
    )
  return (
    <Dialog title={t('New token')} open onClose={onClose}>
      <form onSubmit={submit} className="space-y-4">
        <TextField
          label={t('Name')}
          required
          value={name}
          onChange={event => setName(event.target.value)}
          placeholder={t('photo booth 1')}
          error={fieldMessage(make.error, 'name')}
          help={t('What it is for, so that you find it again.')}
        />
        <SelectField label={t('It may')} value={scope} onChange={event => setScope(event.target.value)}>
          {scopes.map(([value, about]) => (
            <option key={value} value={value}>{`${value}: ${about}`}</option>
          ))}
        </SelectField>
        {(experiences.data?.length ?? 0) > 0 && (
          <fieldset>
            <legend className="font-semibold">{t('Only these experiences')}</legend>
            <p className="mb-2 text-[13.5px] text-soft">{t('None chosen means all of them.')}</p>
            <div className="grid max-h-40 gap-1.5 overflow-y-auto">
              {experiences.data?.map(({ experience_id }) => (
                <CheckField
                  key={experience_id}
                  label={experience_id}
                  checked={only.includes(experience_id)}
                  onChange={event =>
                    setOnly(event.target.checked ? [...only, experience_id] : only.filter(id => id !== experience_id))
                  }
                />
              ))}
            </div>
          </fieldset>
        )}
        <TextField
          label={t('Expires')}
          type="datetime-local"
          value={expires}
          onChange={event => setExpires(event.target.value)}
          help={t('Empty: never.')}
          error={fieldMessage(make.error, 'expires_at')}
        />
        <fieldset>
          <legend className="font-semibold">{t('At most')}</legend>
          <p className="mb-2 text-[13.5px] text-soft">{t('Empty: no limit; of event streams 20.')}</p>
          <div className="grid gap-3 sm:grid-cols-2">
            {limits.map(([name, label]) => (
              <TextField
                key={name}
                label={label}
                type="number"
                min={1}
                value={most[name] ?? ''}
                onChange={event => setMost({ ...most, [name]: event.target.value })}
                error={fieldMessage(make.error, `limits.${name}`)}
              />
            ))}
          </div>
        </fieldset>
        {make.isError && <ErrorNote error={make.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('Back')}</Button>
          <Button type="submit" look="primary" busy={make.isPending}>
            {t('Make the token')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
