// Who is signed in: the name of the token, what it may do and see, and signing out.

import { useQuery } from '@tanstack/react-query'
import { LogOut, UserRound } from 'lucide-react'
import { useState } from 'react'
import { sessionQuery, signOut } from '../api/session.ts'
import type { Session } from '../api/shapes.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { t } from '../words/t.ts'

const allows: Record<Session['scope'], string> = {
  read: t('It may look at everything.'),
  tasks: t('It may look, make and steer tasks, and resend callbacks.'),
  write: t('It may do all but manage tokens and secrets.'),
  admin: t('It may do everything.'),
}

export function Identity({ className }: { className?: string }) {
  const [open, setOpen] = useState(false)
  const { data } = useQuery(sessionQuery)
  if (!data) return null
  return (
    <>
      <Button look="quiet" icon={UserRound} onClick={() => setOpen(true)} className={className}>
        <span dir="auto" className="min-w-0 truncate">
          {data.name}
        </span>
        <span className="edgeprint ml-auto">{data.scope}</span>
      </Button>
      <Dialog title={t('Signed in')} open={open} onClose={() => setOpen(false)}>
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-2">
          <dt className="text-soft">{t('Name')}</dt>
          <dd dir="auto" className="font-semibold [overflow-wrap:anywhere]">
            {data.name}
          </dd>
          <dt className="text-soft">{t('Scope')}</dt>
          <dd>
            <span className="font-semibold">{data.scope}</span> <span className="text-soft">{allows[data.scope]}</span>
          </dd>
          <dt className="text-soft">{t('Events')}</dt>
          <dd dir="auto" className="[overflow-wrap:anywhere]">
            {data.experiences === null ? t('all of them') : data.experiences.join(', ')}
          </dd>
        </dl>
        <div className="mt-5 flex justify-end">
          <Button icon={LogOut} onClick={() => void signOut()}>
            {t('Sign out')}
          </Button>
        </div>
      </Dialog>
    </>
  )
}
