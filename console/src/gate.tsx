// Lets in who is signed in; everybody else sees the sign-in page, and comes back to where they were.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { ApiError, onSignedOut } from './api/client.ts'
import { sessionQuery, signIn, takeCode, takeFailure } from './api/session.ts'
import { SignIn } from './pages/sign-in.tsx'
import { ErrorNote } from './parts/notes.tsx'
import { t } from './words/t.ts'

const code = takeCode()
const failure = takeFailure()

export function SessionGate({ children }: { children: ReactNode }) {
  const client = useQueryClient()
  const [codeState, setCodeState] = useState<'none' | 'trying' | 'refused'>(code ? 'trying' : 'none')
  const session = useQuery({ ...sessionQuery, enabled: codeState !== 'trying' })

  useEffect(() => onSignedOut(() => void client.invalidateQueries({ queryKey: sessionQuery.queryKey })), [client])
  useEffect(() => {
    if (!code) return
    signIn({ code }).then(
      () => setCodeState('none'),
      () => setCodeState('refused'),
    )
  }, [])

  // Asked first: whose session ended still has the answer of before.
  if (session.error instanceof ApiError && session.error.status === 401)
    return (
      <SignIn codeRefused={codeState === 'refused'} failure={failure} onSignedIn={() => client.invalidateQueries()} />
    )
  if (session.data) return children
  if (session.error)
    return (
      <main className="mx-auto max-w-xl p-6 pt-24">
        <ErrorNote error={session.error} retry={() => void session.refetch()} />
      </main>
    )
  return (
    <main className="grid min-h-dvh place-items-center" aria-busy="true">
      <p className="edgeprint animate-[breathe_1.6s_ease-in-out_infinite]">
        {codeState === 'trying' ? t('Signing you in') : t('Opening')}
      </p>
    </main>
  )
}
