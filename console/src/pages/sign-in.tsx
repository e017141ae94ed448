// The door: takes the printed token once; afterwards a cookie keeps the browser signed in.
import { useQuery } from '@tanstack/react-query'
import { KeyRound, LogIn, UserRound } from 'lucide-react'
import { type FormEvent, useEffect, useState } from 'react'
import { ApiError } from '../api/client.ts'
import { SIGNED_OUT, signIn, signInQuery } from '../api/session.ts'
import { Button, buttonLook } from '../parts/button.tsx'
import { TextField } from '../parts/field.tsx'
import { ErrorNote, Notice } from '../parts/notes.tsx'
import { LanguageChoice } from '../words/language-choice.tsx'
import { t } from '../words/t.ts'

/** Why somebody came back from their provider without being signed in. */
const failures: Record<string, [title: string, sentence: string]> = {
  no_role: [
    t('You have no role here'),
    t('The provider knows you, but nobody gave you rights in this Keepsake. Ask who runs it.'),
  ],
  refused: [t('The provider did not sign you in'), t('Try again, or use a token.')],
  expired: [t('That took too long'), t('A sign-in works for 10 minutes, in the browser where it began. Begin again.')],
  provider: [t('The provider can’t be reached'), t('Try again shortly. A token works meanwhile.')],
  no_sign_out: [
    t('The provider has no page for signing out'),
    t('Sign out on its own site. Of Keepsake you are signed out.'),
  ],
  too_many: [t('Too many sign-ins'), t('They came from your address. Wait a minute, then try again.')],
}

interface Door {
  codeRefused: boolean
  /** A word of the service, or that somebody signed out. */
  failure: string | null
  onSignedIn(): void
}

export function SignIn({ codeRefused, failure, onSignedIn }: Door) {
  const { data: ways } = useQuery(signInQuery)
  const [failed, why] = failures[failure ?? ''] ?? []
  const [token, setToken] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  useEffect(() => {
    document.title = `${t('Sign in')} · Keepsake`
  }, [])

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(null)
    try {
      await signIn({ token: token.trim() })
      onSignedIn()
    } catch (refusal) {
      setError(refusal)
      setBusy(false)
    }
  }
  const wrong = error instanceof ApiError && [400, 401, 403].includes(error.status)

  return (
    <main className="grid min-h-dvh lg:grid-cols-[1.1fr_1fr]">
      <div className="flex flex-col justify-center px-6 py-12 sm:px-12 lg:px-20">
        <div className="w-full max-w-md">
          <div className="mb-10 flex items-center gap-3">
            <img src="/keepsake.svg" alt="" className="size-10" />
            <span className="font-display text-[26px] font-bold tracking-tight">Keepsake</span>
          </div>
          <h1 className="text-[34px]">
            {t('Open the {console}', { console: <span className="marked px-1.5">{t('console')}</span> })}
          </h1>
          <p className="mt-3 text-soft">
            {ways?.oidc
              ? t(
                  'Sign in with your own account. The link and the token that the service printed when it started work as well.',
                )
              : t(
                  'When the service started, it printed a link and a token. The link signs you in with one click; the token goes here.',
                )}
          </p>
          {failure === SIGNED_OUT && (
            <div role="status" className="mt-7 rounded-lg border border-line bg-card px-4 py-3">
              <p className="font-semibold">{t('You are signed out of Keepsake')}</p>
              {ways?.oidc && (
                <a
                  href={ways.oidc.sign_out_url}
                  dir="auto"
                  className="inline-flex min-h-11 items-center underline underline-offset-3"
                >
                  {t('Sign out of {name} too', { name: ways.oidc.name })}
                </a>
              )}
            </div>
          )}
          {failed && (
            <div role="alert" className="mt-7">
              <Notice title={failed}>{why}</Notice>
            </div>
          )}
          {ways?.oidc && (
            <a
              href={`${ways.oidc.url}?to=${encodeURIComponent(window.location.pathname + window.location.search)}`}
              className={`${buttonLook('primary')} mt-7 min-h-11! w-full`}
            >
              <UserRound aria-hidden className="size-4 shrink-0" />
              <span dir="auto" className="min-w-0 truncate">
                {t('Sign in with {name}', { name: ways.oidc.name })}
              </span>
            </a>
          )}
          <form onSubmit={submit} className="mt-7 space-y-4">
            {codeRefused && (
              <Notice title={t('That link has been used or is too old')}>
                {t('Each link works once. Take the token instead, or start the service again for a new link.')}
              </Notice>
            )}
            {error !== null && !wrong && <ErrorNote error={error} />}
            <TextField
              label={t('Access token')}
              name="token"
              type="password"
              autoComplete="current-password"
              spellCheck={false}
              required
              placeholder="ks_…"
              value={token}
              onChange={event => setToken(event.target.value)}
              error={wrong ? t('This token is not valid. Copy it whole, without spaces.') : undefined}
              help={t('It is also kept in the file {code} of the data folder.', {
                code: <code className="font-mono text-ink">admin-token</code>,
              })}
            />
            <Button type="submit" look={ways?.oidc ? 'plain' : 'primary'} icon={LogIn} busy={busy} className="w-full">
              {t('Sign in')}
            </Button>
          </form>
          <p className="mt-6 flex gap-2 text-[13.5px] text-soft">
            <KeyRound aria-hidden className="mt-0.5 size-4 shrink-0" />
            {t('The token is not kept in this browser: it is exchanged once for a cookie that scripts cannot read.')}
          </p>
          <LanguageChoice className="mt-4 -ml-3.5 w-fit" />
        </div>
      </div>
      <ContactSheet />
    </main>
  )
}

/** Drawn, not loaded: a strip of prints, so that the first page needs no picture. */
function ContactSheet() {
  const frames = ['#3f5f8a', '#b4553f', '#55735b', '#8d6a2f', '#6a4a7d', '#2f6f77']
  return (
    <div aria-hidden className="relative hidden overflow-hidden bg-[#15171c] lg:block">
      <div className="absolute inset-0 grid rotate-[-4deg] scale-110 grid-cols-2 content-center gap-7 p-10">
        {frames.map((colour, index) => (
          <div key={colour} className="bg-[#0b0c0f] p-3">
            <div className="edgeprint mb-2 flex justify-between text-[#ffd84d]!">
              <span>Keepsake 400</span>
              <span>▸ {index + 1}A</span>
            </div>
            <div
              className="aspect-[3/2] w-full"
              style={{ background: `radial-gradient(120% 90% at ${25 + index * 11}% 78%, ${colour}, #1b1d23 78%)` }}
            />
            {index === 1 && (
              <div className="absolute size-44 -translate-y-36 translate-x-10 rotate-12 rounded-[48%_52%_55%_45%] border-[5px] border-[#ffd84d]" />
            )}
          </div>
        ))}
      </div>
    </div>
  )
}
